const longest = 200;

/** Text from outside, safe to print: on one line, without control characters, of bounded length. */
export function printable(text: string, most = longest): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}
