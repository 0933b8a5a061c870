import type { IncomingMessage } from 'node:http';
import type { WireError } from '@forge/models';
import { tooLarge, unknownEncoding } from './body-faults.ts';
import { inflateBody, isKnownEncoding } from './inflate-body.ts';

export interface BodyReader {
  /** Most bytes, as they come and after they are inflated. */
  readonly limit: number;
  readonly onBody: (body: Buffer) => void;
  /**
   * The body is refused. What still comes of it is thrown away until the request's time is up, so
   * the connection need not be closed, which could lose the answer to a client that still sends.
   */
  readonly onFault: (error: WireError) => void;
  /** The client went before it had said everything. */
  readonly onLeave: () => void;
}

const none: Buffer = Buffer.alloc(0);

/**
 * Collects the body of a request. Exactly one of the three is called, once. A body that came in
 * one piece is given as it came, without a copy.
 */
export function readRequestBody(request: IncomingMessage, reader: BodyReader): void {
  const { limit, onBody, onFault, onLeave } = reader;
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const length = request.headers['content-length'];
  const refusal = refuseUnread(encoding, length, limit);
  // A request that breaks off says so twice, and unheard errors end the process.
  request.on('error', ignore);
  if (refusal !== undefined) {
    request.resume();
    onFault(refusal);
    return;
  }
  let first: Buffer = none;
  let rest: Buffer[] | undefined;
  let size = 0;
  let isOver = false;

  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    if (size > limit) {
      isOver = true;
      first = none;
      rest = undefined;
      onFault(tooLarge(limit));
    } else if (first.length === 0) first = chunk;
    else if (rest === undefined) rest = [first, chunk];
    else rest.push(chunk);
  });
  request.on('end', () => {
    if (isOver) return;
    isOver = true;
    const body = rest === undefined ? first : Buffer.concat(rest, size);
    if (encoding === '' || encoding === 'identity' || size === 0) onBody(body);
    else inflateBody(body, { encoding, limit, onBody, onFault });
  });
  request.on('close', () => {
    if (isOver) return;
    isOver = true;
    onLeave();
  });
}

function refuseUnread(
  encoding: string,
  length: string | undefined,
  limit: number,
): WireError | undefined {
  if (length !== undefined && Number(length) > limit) return tooLarge(limit);
  return isKnownEncoding(encoding) ? undefined : unknownEncoding(encoding);
}

function ignore(): void {}
