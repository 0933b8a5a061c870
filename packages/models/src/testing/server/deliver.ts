import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Response } from './compose.ts';
import type { DeliveryFault } from './fault.ts';
import { untilAborted } from './wait-for.ts';

export interface Delivery {
  readonly fault: DeliveryFault | undefined;
  /** Awaited before every chunk but the first. */
  readonly pause: (chunk: string) => Promise<void>;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** Sends a response chunk by chunk, as wrongly as the fault says. Rejects if the client leaves. */
export async function deliver(response: ServerResponse, what: Response, delivery: Delivery) {
  const { fault, signal } = delivery;
  signal.throwIfAborted();
  if (fault?.type === 'wrong_length') return sendWrongLength(response, what, fault.by);
  const limit = fault === undefined ? Number.POSITIVE_INFINITY : fault.afterBytes;
  if (limit !== undefined) {
    response.writeHead(what.status, what.headers);
    response.flushHeaders();
    await sendUpTo(limit, response, what.chunks, delivery);
  }
  switch (fault?.type) {
    case undefined:
    case 'cut':
      response.end();
      return;
    case 'stall':
      return untilAborted(signal);
    case 'hang_up':
      response.socket?.destroySoon();
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    default:
      return fault satisfies never;
  }
}

async function sendUpTo(
  limit: number,
  response: ServerResponse,
  chunks: Response['chunks'],
  { pause, signal }: Delivery,
) {
  let left = limit;
  let isFirst = true;
  for (const chunk of chunks) {
    if (left <= 0) return;
    if (!isFirst) await pause(String(chunk));
    isFirst = false;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const { promise: written, resolve, reject } = Promise.withResolvers<void>();
    const hasRoom = response.write(bytes.subarray(0, left), (error) =>
      error ? reject(error) : resolve(),
    );
    left -= bytes.length;
    // What is sent before a fault has to have left us, else the fault would overtake it.
    if (left <= 0) await written;
    else written.catch(() => {});
    if (!hasRoom && left > 0) await once(response, 'drain', { signal });
  }
}

function sendWrongLength(response: ServerResponse, what: Response, by: number) {
  const body = Buffer.concat(
    Array.from(what.chunks, (chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
  );
  const length = String(Math.max(0, body.length + by));
  // Closed at the end, else a client that was promised more would wait for it.
  response.writeHead(what.status, {
    ...what.headers,
    'content-length': length,
    connection: 'close',
  });
  response.end(body);
}
