const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds from `30m`, `2h` or `30d`. Undefined for what is no span. */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})\s?([smhd])$/.exec(text) ?? [];
  const span = units[unit];
  return span === undefined ? undefined : Number(count) * span;
}
