import type { OutputChunk } from '../sandbox.ts';
import { type Channel, pidsOf } from './channel.ts';
import { Feeder, type JobInput } from './feeder.ts';
import { isShellName, quote } from './quote.ts';

export interface JobOptions {
  readonly nonce: string;
  /** In the environment of all it starts, by which they are found again. */
  readonly id: string;
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: JobInput;
  readonly onData: (stream: OutputChunk['stream'], bytes: Buffer) => void;
  /** Its session: the process group to kill. */
  readonly onStart: (session: number) => void;
}

export type JobEnd =
  | {
      readonly type: 'ended';
      readonly code: number;
      readonly signalled: boolean;
      readonly left: Left;
    }
  | { readonly type: 'not_started'; readonly reason: NotStarted; readonly left: Left }
  /** The channel ended under it. */
  | { readonly type: 'lost'; readonly started: boolean };

export type NotStarted = 'folder' | 'missing' | 'denied';

/** Processes that are there at its end, its own runner left out; `many` are too many to list. */
export type Left = readonly number[] | 'many';

/** These two leave no complaint in the shell, see `loop.ts`. */
const silentSignals = new Set([128 + 2, 128 + 13]);

/** Runs one command on a channel that is free. Frees it again. Never rejects. */
export function runJob(channel: Channel, options: JobOptions): Promise<JobEnd> {
  const { nonce, input, onData, onStart } = options;
  const { promise, resolve } = Promise.withResolvers<JobEnd>();
  const started = { stdout: false, stderr: false };
  let runner = 0;
  let reason: NotStarted | undefined;
  let last: readonly string[] | undefined;
  /** Marks that are still to come: the end on both streams, and that of the input. */
  let open = input === undefined ? 2 : 3;
  const feeder = input === undefined ? undefined : new Feeder(channel, input);

  const finish = () => {
    channel.release();
    const [code = '', signalled, ...entries] = last ?? [];
    const left = entries[0] === 'many' ? 'many' : pidsOf(entries).filter((pid) => pid !== runner);
    if (reason !== undefined) resolve({ type: 'not_started', reason, left });
    else {
      const number = Number(code);
      const byComplaint = signalled === '1' || silentSignals.has(number);
      resolve({ type: 'ended', code: number, signalled: number > 128 && byComplaint, left });
    }
  };

  channel.listen({
    nonce,
    data: (stream, bytes) => {
      if (started[stream]) onData(stream, bytes);
    },
    mark: (stream, [letter, ...words]) => {
      if (letter === 'S') {
        started[stream] = true;
        if (stream !== 'stdout') return;
        runner = Number(words[1]);
        onStart(Number(words[0]));
        feeder?.start();
      } else if (letter === 'T') feeder?.taken();
      else if (letter === 'N')
        reason = words[0] === 'folder' || words[0] === 'denied' ? words[0] : 'missing';
      else if (letter === 'E') {
        started[stream] = false;
        if (stream === 'stdout') last = words;
        feeder?.stop();
        if (--open === 0) finish();
      } else if (letter === 'F' && --open === 0) finish();
    },
    closed: () => {
      feeder?.stop();
      resolve({ type: 'lost', started: runner !== 0 });
    },
  });
  channel.send(jobLine(options));
  return promise;
}

function jobLine({ nonce, id, argv, folder, env, input }: JobOptions): string {
  const plain: string[] = [];
  const odd: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (isShellName(name)) plain.push(`export ${name}=${quote(value)}`);
    else odd.push(`${name}=${value}`);
  }
  const words = odd.length === 0 ? argv : ['env', ...odd, ...argv];
  const quoted = [folder, plain.join(';'), ...words].map(quote).join(' ');
  const run = `_run ${nonce} ${id} ${quoted}`;
  if (input === undefined) return run;
  return `_feed ${nonce} ${input.end} | ${run}; _mark ${nonce} F >&4`;
}
