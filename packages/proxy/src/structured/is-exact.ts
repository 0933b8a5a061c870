/**
 * Whether a value can be written again without losing anything: a whole number past 2^53 may have
 * had other digits in the text it was read from, and an endless one certainly had.
 */
export function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isExact);
}
