import { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import { z } from 'zod';

/** One message of a build, a pull or a push. */
const messageSchema = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional() }).optional(),
  error: z.string().optional(),
  aux: z
    .object({ ID: z.string(), Tag: z.string(), Digest: z.string(), Size: z.number() })
    .partial()
    .optional(),
});

export type DockerMessage = z.infer<typeof messageSchema>;

/**
 * What the daemon says while it works, one message after the other. `sandbox_failed` with its own
 * words if it fails, `cancelled` when the signal comes: letting go of the stream ends the work.
 */
export async function* dockerMessages(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<DockerMessage, void, void> {
  const source = stream instanceof Readable ? stream : new Readable().wrap(stream);
  const stop = () => void source.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) throw endedBy(signal);
    for await (const line of linesOf(source)) {
      const message = read(line);
      if (message === undefined) continue;
      if (message.error !== undefined) {
        throw new ForgeError('sandbox_failed', `Docker says: ${message.error.trim()}`);
      }
      yield message;
    }
    if (signal.aborted) throw endedBy(signal);
  } catch (error) {
    throw signal.aborted ? endedBy(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
    source.destroy();
  }
}

/** Longest message that is kept whole; the rest of a longer one makes no JSON and is left out. */
const longest = 1024 * 1024;

async function* linesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const chunk of source) {
    open += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = open.split('\n');
    open = lines.pop() ?? '';
    if (open.length > longest) open = '';
    yield* lines;
  }
  yield open;
}

function read(line: string): DockerMessage | undefined {
  if (line.trim() === '') return undefined;
  try {
    return messageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A signal that came, as an error: somebody's wish, or a time that was over. */
export function endedBy({ reason }: AbortSignal): ForgeError {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError';
  return isLate
    ? new ForgeError('tool_timeout', 'It took too long and was ended.')
    : new ForgeError('cancelled', 'It was cancelled.');
}

/** The lines a person wants to see; undefined for a step of a progress bar. */
export function lineOf({ stream, status, id, progressDetail }: DockerMessage): string | undefined {
  if (stream !== undefined) return stream.trimEnd() || undefined;
  if (status === undefined || progressDetail?.current !== undefined) return undefined;
  return id === undefined ? status : `${id}: ${status}`;
}

/** What went wrong at the daemon, or that the signal ended it. */
export function explainDocker(error: unknown, signal?: AbortSignal): ForgeError {
  if (signal?.aborted) return endedBy(signal);
  if (ForgeError.is(error)) return error;
  return new ForgeError('sandbox_failed', `Docker says: ${messageOf(error)}`, { cause: error });
}
