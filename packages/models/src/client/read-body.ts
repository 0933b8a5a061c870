/** The text of a body and whether it was cut at `maxBytes`. What follows is not read. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (size + chunk.length > maxBytes) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      return { text: decode(chunks), cut: true };
    }
    size += chunk.length;
    chunks.push(chunk);
  }
  return { text: decode(chunks), cut: false };
}

function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}
