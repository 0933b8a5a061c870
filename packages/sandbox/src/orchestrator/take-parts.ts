import { ForgeError } from '@forge/core';

/** The first message of an upload, and the bytes that follow it as they come. */
export async function takeParts<Message, First>(
  messages: AsyncIterable<Message>,
  {
    first,
    rest,
    maxBytes,
  }: {
    first(message: Message): First | undefined;
    rest(message: Message): Uint8Array | undefined;
    maxBytes: number;
  },
): Promise<{ readonly head: First; readonly body: AsyncGenerator<Uint8Array, void, void> }> {
  const iterator = messages[Symbol.asyncIterator]();
  const opening = await iterator.next();
  const head = opening.done ? undefined : first(opening.value);
  if (head === undefined) {
    throw new ForgeError('invalid_options', 'The first message has to say where the bytes belong.');
  }
  const body = (async function* () {
    let taken = 0;
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done) return;
        const bytes = rest(next.value);
        if (bytes === undefined) {
          throw new ForgeError('invalid_options', 'Only the first message may say where to.');
        }
        taken += bytes.length;
        if (taken > maxBytes) {
          throw new ForgeError(
            'too_large',
            `This orchestrator takes up to ${maxBytes} bytes here.`,
          );
        }
        yield bytes;
      }
    } finally {
      await iterator.return?.();
    }
  })();
  return { head, body };
}

export async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
