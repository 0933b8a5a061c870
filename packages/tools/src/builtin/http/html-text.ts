const skipped = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'head',
  'title',
]);
const blocks = new Set(
  'address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table td th tr ul'.split(
    ' ',
  ),
);
const longestTag = 4_000;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
};

/**
 * What a page says, without its markup: the title, the text in lines, links as `[text](address)`.
 * One pass over the page.
 */
export function htmlText(html: string, base: string): string {
  // Of ASCII alone: other letters change their length, and with it every place behind them.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const title = betweenTags(html, lower, 'title');
  let output = title === '' ? '' : `# ${decodeEntities(title).trim()}\n\n`;
  let link: string | undefined;
  let close = -1;
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1) return tidy(output + decodeEntities(html.slice(at)));
    output += decodeEntities(html.slice(at, open));
    if (lower.startsWith('<!--', open)) {
      at = after(lower, '-->', open + 4);
      continue;
    }
    // The next end is the same for every mark before it: looked for once.
    if (close < open) close = html.indexOf('>', open);
    if (close === -1) break;
    const tag = html.slice(open, Math.min(close + 1, open + longestTag));
    const [, slash, name] = /^<([/!?]?)([a-z][a-z0-9]*)/i.exec(tag) ?? [];
    if (name === undefined) {
      output += '<';
      at = open + 1;
      continue;
    }
    const kind = name.toLowerCase();
    at = close + 1;
    if (slash === '' && skipped.has(kind)) at = after(lower, `</${kind}`, at);
    else if (kind === 'a' && slash === '' && link === undefined) {
      link = addressIn(tag, base);
      if (link !== undefined) output += '[';
    } else if (kind === 'a' && slash === '/' && link !== undefined) {
      output += `](${link})`;
      link = undefined;
    } else if (blocks.has(kind)) output += kind === 'li' && slash === '' ? '\n- ' : '\n';
  }
  return tidy(output);
}

function after(lower: string, mark: string, from: number): number {
  const at = lower.indexOf(mark, from);
  return at === -1 ? lower.length : at + (mark.startsWith('</') ? 0 : mark.length);
}

function betweenTags(html: string, lower: string, name: string): string {
  const open = lower.indexOf(`<${name}`);
  const start = open === -1 ? -1 : lower.indexOf('>', open);
  const end = start === -1 ? -1 : lower.indexOf(`</${name}`, start);
  return end === -1 ? '' : html.slice(start + 1, end).slice(0, 500);
}

function addressIn(tag: string, base: string): string | undefined {
  const [, double, single, bare] =
    /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag) ?? [];
  const url = URL.parse(decodeEntities(double ?? single ?? bare ?? '#'), base);
  const isPage =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !(double ?? single ?? bare ?? '#').startsWith('#');
  return isPage ? url.href : undefined;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (all, dec, hex, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? all;
      const code = dec === undefined ? Number.parseInt(hex, 16) : Number(dec);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[\t\r ]+/g, ' ').trim());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
