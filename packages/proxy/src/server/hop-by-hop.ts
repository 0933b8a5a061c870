/** Flat: name, value, name, value. */
export type RawHeaders = readonly string[];

/** Said to the next server only and never passed on, besides `Connection` and what that names. */
export const hopByHop: readonly string[] = [
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** The headers without those a `Connection` header says are for the next server only. */
export function withoutNamed(headers: string[], connection: string): string[] {
  if (isUsual(connection)) return headers;
  const words = connection.toLowerCase().split(',').slice(0, 64);
  const names = new Set(words.map((word) => word.trim()).filter((word) => !isUsual(word)));
  if (names.size === 0) return headers;
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!names.has(name)) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}

function isUsual(word: string): boolean {
  return word === '' || word === 'keep-alive' || word === 'close';
}
