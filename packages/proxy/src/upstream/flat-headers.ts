import type { IncomingHttpHeaders } from 'node:http';

/** Headers as names and values in turns. */
export function flatHeaders(headers: IncomingHttpHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') flat.push(name, value);
    else if (value !== undefined) for (const one of value) flat.push(name, one);
  }
  return flat;
}
