/** PostgreSQL has no text with a NUL in it. The log keeps it: JSON writes it as an escape. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
