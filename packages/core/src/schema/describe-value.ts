const PREVIEW = 60;
const NAMES = 12;

/**
 * A short look at what was received, for a message: JSON cut to a line. Never walks more of the
 * value than it shows, so a huge or deep value costs nothing.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value);
    if (names.length === 0) return 'an empty object';
    return `an object with ${describeNames(names, 4)}`;
  }
  return String(value);
}

/** One value as JSON, cut if long: for lists of what is allowed. */
export function describeLiteral(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return describeValue(value);
}

export function describeLiterals(values: readonly unknown[]): string {
  const shown = values.slice(0, NAMES).map(describeLiteral);
  if (values.length > NAMES) shown.push(`… (${values.length} in all)`);
  return shown.join(', ');
}

export function describeNames(names: readonly string[], most = NAMES): string {
  const shown = names.slice(0, most).map((name) => quote(name));
  if (names.length > most) shown.push(`… (${names.length} in all)`);
  return shown.join(', ');
}

function quote(text: string): string {
  return JSON.stringify(text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text);
}
