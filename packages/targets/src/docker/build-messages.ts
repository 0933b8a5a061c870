import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import * as z from 'zod';
import { deployFailed } from '../deploy-failed.ts';
import { onLines } from '../keeper/read-lines.ts';
import { BuildkitTrace, traceId } from './buildkit-trace.ts';

const messageSchema = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional() }).optional(),
  error: z.string().optional(),
  aux: z.unknown().optional(),
});
const auxSchema = z.object({ ID: z.string().optional(), Digest: z.string().optional() });

export interface BuildEnd {
  /** Of the image that was built. */
  readonly imageId: string | undefined;
  /** Of the manifest that was pushed. */
  readonly digest: string | undefined;
}

const longestMessage = 1024 * 1024;
const keptLines = 40;

/** Follows a build, a push or a pull to its end. `deploy_failed` with the last lines if it fails. */
export async function followMessages(
  stream: NodeJS.ReadableStream,
  {
    docker,
    what,
    tell,
    signal,
  }: {
    readonly docker: Docker;
    readonly what: string;
    readonly tell: (line: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<BuildEnd> {
  const source = stream instanceof Readable ? stream : new Readable().wrap(stream);
  const last: string[] = [];
  let imageId: string | undefined;
  let digest: string | undefined;
  let failure: string | undefined;
  const say = (text: string) => {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      last.push(line.trimEnd().slice(0, 2_000));
      if (last.length > keptLines) last.shift();
      tell(line.trimEnd());
    }
  };
  const trace = new BuildkitTrace(docker, say);
  onLines(source, {
    longest: longestMessage,
    line: (text) => {
      const message = messageSchema.safeParse(tryParse(text)).data;
      if (message === undefined) return;
      const { stream: words, status, id, progressDetail, error } = message;
      if (id === traceId) {
        trace.write(text);
        return;
      }
      const aux = auxSchema.safeParse(message.aux).data;
      imageId = aux?.ID ?? imageId;
      digest = aux?.Digest ?? digest;
      failure ??= error?.trim();
      if (words !== undefined) say(words);
      else if (status !== undefined && progressDetail?.current === undefined) {
        say(id === undefined ? status : `${id}: ${status}`);
      }
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  source.once('end', resolve);
  source.once('close', resolve);
  source.once('error', reject);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await promise;
    await trace.end();
    signal.throwIfAborted();
    if (failure !== undefined) throw deployFailed(`${what} failed: ${failure}.`, { log: last });
    return { imageId, digest };
  } finally {
    signal.removeEventListener('abort', abort);
    source.destroy();
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
