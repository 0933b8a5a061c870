/** How a cell of the screen looks. A colour is undefined for the default one. */
export interface CellStyle {
  readonly color?: string;
  readonly background?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export const plain: CellStyle = {};

/** The sixteen named colours: black, red, green, yellow, blue, magenta, cyan, white; then bright. */
export const palette = [
  '#484f58',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
  '#6e7681',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#f0f6fc',
] as const;

/** The style after a sequence of SGR codes (`ESC [ … m`). Codes it does not know change nothing. */
export function applyCodes(style: CellStyle, codes: readonly number[]): CellStyle {
  let next = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes.slice(at + 1));
      next = code === 38 ? { ...next, color } : { ...next, background: color };
      at += used;
    } else {
      next = applyCode(next, code);
    }
  }
  return next;
}

function applyCode(style: CellStyle, code: number): CellStyle {
  if (code >= 30 && code <= 37) return { ...style, color: palette[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, color: palette[code - 82] };
  if (code >= 40 && code <= 47) return { ...style, background: palette[code - 40] };
  if (code >= 100 && code <= 107) return { ...style, background: palette[code - 92] };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 22:
      return { ...style, bold: undefined, dim: undefined };
    case 23:
      return { ...style, italic: undefined };
    case 24:
      return { ...style, underline: undefined };
    case 27:
      return { ...style, inverse: undefined };
    case 39:
      return { ...style, color: undefined };
    case 49:
      return { ...style, background: undefined };
    default:
      return style;
  }
}

/** `5;n` is one of 256 colours, `2;r;g;b` any. */
function extendedColor(codes: readonly number[]): { color: string | undefined; used: number } {
  const [kind, ...values] = codes;
  if (kind === 5) return { color: indexedColor(values[0] ?? 0), used: 2 };
  if (kind === 2) return { color: hex(values.slice(0, 3)), used: 4 };
  return { color: undefined, used: codes.length };
}

function indexedColor(index: number): string {
  if (index < 16) return palette[index] ?? palette[7];
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex([grey, grey, grey]);
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function hex(channels: readonly number[]): string {
  const two = (value = 0) => Math.min(255, Math.max(0, value)).toString(16).padStart(2, '0');
  return `#${two(channels[0])}${two(channels[1])}${two(channels[2])}`;
}
