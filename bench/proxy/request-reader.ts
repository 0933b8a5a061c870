const headEnd = Buffer.from('\r\n\r\n');
const modelKey = Buffer.from('"model":"');
const chunkedEnd = Buffer.from('\r\n0\r\n\r\n');

/**
 * Cuts a connection's bytes into requests and tells the model each one names (undefined for a
 * request without a body). A body in chunks ends where its last chunk stands: the bodies of the
 * bench hold no bare line break.
 */
export function createRequestReader(onRequest: (model: string | undefined) => void): {
  push(bytes: Buffer): void;
} {
  let held: Buffer | undefined;
  return {
    push(bytes) {
      let rest = held === undefined ? bytes : Buffer.concat([held, bytes]);
      held = undefined;
      while (rest.length > 0) {
        const end = endOfRequest(rest);
        if (end === undefined) {
          held = rest;
          return;
        }
        onRequest(modelOf(rest.subarray(0, end)));
        rest = rest.subarray(end);
      }
    },
  };
}

function endOfRequest(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(headEnd);
  if (head === -1) return undefined;
  const text = bytes.toString('latin1', 0, head);
  const length = /content-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) {
    const end = head + headEnd.length + Number(length);
    return bytes.length >= end ? end : undefined;
  }
  if (!/transfer-encoding: *chunked/i.test(text)) return head + headEnd.length;
  const last = bytes.indexOf(chunkedEnd, head + 2);
  return last === -1 ? undefined : last + chunkedEnd.length;
}

function modelOf(request: Buffer): string | undefined {
  const key = request.indexOf(modelKey);
  if (key === -1) return undefined;
  const start = key + modelKey.length;
  return request.toString('latin1', start, request.indexOf(0x22, start));
}
