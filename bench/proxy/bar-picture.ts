/** One bar of the picture. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly kind: 'ours' | 'measured' | 'published';
}

const width = 760;
const rowHeight = 26;
const labelWidth = 270;
const valueWidth = 70;
const top = 58;
const colours = { ours: '#e0582b', measured: '#4a6fa5', published: '#a9b4c2' } as const;

/** Bars on a logarithmic scale, as an SVG that is readable on a light and on a dark page. */
export function barPicture(options: {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}): string {
  const { title, unit, bars } = options;
  const sorted = [...bars].sort((a, b) => a.value - b.value);
  const least = 10 ** Math.floor(Math.log10(sorted[0]?.value ?? 1));
  const most = 10 ** Math.ceil(Math.log10(sorted.at(-1)?.value ?? 10));
  const room = width - labelWidth - valueWidth;
  const x = (value: number) =>
    labelWidth + (room * Math.log(value / least)) / Math.log(most / least);
  const bottom = top + sorted.length * rowHeight;
  const height = bottom + 46;
  const ticks: string[] = [];
  for (let value = least; value <= most; value *= 10) {
    const at = x(value).toFixed(1);
    ticks.push(
      `<line x1="${at}" y1="${top - 6}" x2="${at}" y2="${bottom}" stroke="#d5dae1"/>`,
      `<text x="${at}" y="${bottom + 16}" text-anchor="middle" fill="#5b6573">${value.toLocaleString('en')}</text>`,
    );
  }
  const rows = sorted.map(({ name, value, kind }, at) => {
    const y = top + at * rowHeight;
    const weight = kind === 'ours' ? ' font-weight="600"' : '';
    return [
      `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end" fill="#1f2733"${weight}>${escapeXml(name)}</text>`,
      `<rect x="${labelWidth}" y="${y + 2}" width="${Math.max(1, x(value) - labelWidth).toFixed(1)}" height="${rowHeight - 8}" rx="3" fill="${colours[kind]}"/>`,
      `<text x="${(x(value) + 6).toFixed(1)}" y="${y + 15}" fill="#1f2733"${weight}>${Math.round(value).toLocaleString('en')}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    `<text x="20" y="26" font-size="15" font-weight="600" fill="#1f2733">${escapeXml(title)}</text>`,
    `<text x="20" y="44" fill="#5b6573">${escapeXml(unit)}</text>`,
    ...ticks,
    ...rows,
    legend(bottom + 36),
    '</svg>',
    '',
  ].join('\n');
}

function legend(y: number): string {
  const entries = [
    { colour: colours.ours, text: 'Forge, this run' },
    { colour: colours.measured, text: 'others, this run' },
    { colour: colours.published, text: 'published or measured elsewhere' },
  ];
  return entries
    .map(({ colour, text }, at) => {
      const x = 20 + at * 160;
      return `<rect x="${x}" y="${y - 10}" width="11" height="11" rx="2" fill="${colour}"/><text x="${x + 17}" y="${y}" fill="#5b6573">${text}</text>`;
    })
    .join('\n');
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
