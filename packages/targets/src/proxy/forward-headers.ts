import type { IncomingMessage } from 'node:http';

/** Of one connection, not of the message: never passed on. */
const perHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);

/** Whatever `Connection` lists: without them nobody knows where the message ends, or who it is for. */
const ofEveryMessage = new Set(['content-length', 'host']);

/**
 * Headers as they came, in their order and with repeated ones, less those that belong to one
 * connection. Names that `Connection` lists belong to it too.
 */
export function endToEndHeaders(message: IncomingMessage): string[] {
  const listed = new Set(
    (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
  );
  const kept: string[] = [];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (perHop.has(lower) || (listed.has(lower) && !ofEveryMessage.has(lower))) continue;
    kept.push(name, message.rawHeaders[at + 1] ?? '');
  }
  return kept;
}

const forwarded = new Set(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);

/** Of a request: who asked, and by which name. */
export function requestHeaders(request: IncomingMessage): string[] {
  const kept: string[] = [];
  const headers = endToEndHeaders(request);
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!forwarded.has(name.toLowerCase())) kept.push(name, headers[at + 1] ?? '');
  }
  const before = request.headers['x-forwarded-for'];
  const client = request.socket.remoteAddress ?? 'unknown';
  const { host } = request.headers;
  kept.push('X-Forwarded-For', before === undefined ? client : `${String(before)}, ${client}`);
  kept.push('X-Forwarded-Proto', first(request.headers['x-forwarded-proto']) ?? 'http');
  if (host === undefined)
    kept.push('Host', '127.0.0.1'); // Of HTTP/1.0; what it is passed on as needs one.
  else kept.push('X-Forwarded-Host', first(request.headers['x-forwarded-host']) ?? host);
  // A body of unknown length stays one.
  if (request.headers['transfer-encoding'] !== undefined) {
    kept.push('Transfer-Encoding', 'chunked');
  }
  return kept;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
