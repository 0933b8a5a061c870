import type { Cell, Screen } from './screen.ts';
import { type CellStyle, palette } from './style.ts';

const cellWidth = 8.4;
const lineHeight = 19;
const fontSize = 14;
const padding = 16;
const titleHeight = 36;
const theme = { background: '#0d1117', frame: '#30363d', text: '#c9d1d9', title: '#8b949e' };
const fonts = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

/** A screen as a picture of a terminal window. */
export function toSvg(screen: Screen, options: { columns: number; title: string }): string {
  const rows = trimEnd(screen);
  const width = round(options.columns * cellWidth + 2 * padding);
  const height = round(titleHeight + rows.length * lineHeight + padding);
  const lines = rows.flatMap((cells, row) => drawRow(cells, titleHeight + row * lineHeight));
  const buttons = [palette[1], palette[3], palette[2]].map(
    (color, index) => `<circle cx="${padding + 6 + index * 18}" cy="18" r="5.5" fill="${color}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(options.title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.frame}"/>`,
    ...buttons,
    `<g font-family="${escapeXml(fonts)}" font-size="${fontSize}" fill="${theme.text}">`,
    `<text x="${width / 2}" y="23" text-anchor="middle" fill="${theme.title}">${escapeXml(shortTitle(options))}</text>`,
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** As much of the title as fits between the buttons and as much room on the other side. */
function shortTitle({ columns, title }: { columns: number; title: string }): string {
  const room = columns - 16;
  return title.length > room ? `${title.slice(0, room - 1)}…` : title;
}

function trimEnd(screen: Screen): Screen {
  let end = screen.length;
  while (end > 0 && screen[end - 1]?.every(({ text }) => text.trim() === '')) end -= 1;
  return screen.slice(0, end);
}

interface Span {
  readonly column: number;
  readonly width: number;
  readonly text: string;
  readonly style: CellStyle;
}

function drawRow(cells: readonly Cell[], top: number): string[] {
  const spans = spansOf(cells);
  const backgrounds = spans.flatMap((span) => {
    const fill = span.style.inverse ? (span.style.color ?? theme.text) : span.style.background;
    if (fill === undefined) return [];
    const [x, width] = [round(padding + span.column * cellWidth), round(span.width * cellWidth)];
    return [`<rect x="${x}" y="${top}" width="${width}" height="${lineHeight}" fill="${fill}"/>`];
  });
  const texts = spans
    .filter(({ text, style }) => text.trim() !== '' || style.underline)
    .map((span) => drawText(trimSpan(span), top + lineHeight - 5));
  return [...backgrounds, ...texts];
}

/** Readers differ on blanks at the ends of a text, so those are left out where nobody sees them. */
function trimSpan(span: Span): Span {
  if (span.style.underline) return span;
  const start = span.text.length - span.text.trimStart().length;
  const end = span.text.length - span.text.trimEnd().length;
  const width = span.width - start - end;
  return { ...span, column: span.column + start, width, text: span.text.trim() };
}

/** `textLength` keeps the columns in line whatever font the reader has. */
function drawText({ column, width, text, style }: Span, y: number): string {
  const fill = style.inverse ? (style.background ?? theme.background) : style.color;
  const attributes = [
    `x="${round(padding + column * cellWidth)}"`,
    `y="${y}"`,
    `textLength="${round(width * cellWidth)}"`,
    'xml:space="preserve"',
    ...(fill === undefined ? [] : [`fill="${fill}"`]),
    ...(style.bold ? ['font-weight="bold"'] : []),
    ...(style.dim ? ['opacity="0.6"'] : []),
    ...(style.italic ? ['font-style="italic"'] : []),
    ...(style.underline ? ['text-decoration="underline"'] : []),
  ];
  return `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`;
}

/** Neighbours that look the same are drawn as one. */
function spansOf(cells: readonly Cell[]): Span[] {
  const spans: Span[] = [];
  for (const [column, { text, style }] of cells.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && sameStyle(last.style, style)) {
      spans[spans.length - 1] = { ...last, width: last.width + 1, text: last.text + text };
    } else {
      spans.push({ column, width: 1, text, style });
    }
  }
  return spans;
}

function sameStyle(a: CellStyle, b: CellStyle): boolean {
  return (
    a.color === b.color &&
    a.background === b.background &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.inverse === b.inverse
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
