import { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import { safeTar } from '../archive/safe-tar.ts';
import { checkPath, checkRange } from '../checks/check-path.ts';
import type { ByteRange, FileContent, WriteOptions } from '../sandbox.ts';
import type { Channel } from './channel.ts';
import { type Ground, type RunEnd, runCommand } from './command-run.ts';
import { packScript, readScript, unpackScript, writeScript } from './file-scripts.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { inFolder } from './in-folder.ts';

/** Longest a single file may take. */
const fileMs = 120_000;
/** Longest that the size of a file and its newline are. */
const sizeLine = 16;
/** Kept of what a tool says on stderr. */
const complaintBytes = 4096;

export async function readFile(
  ground: Ground,
  path: string,
  range?: ByteRange,
): Promise<FileContent> {
  checkPath(path);
  const { offset, limit } = checkRange(range);
  const script = [readScript, inFolder(ground.workspace, path), `${offset}`, `${limit}`];
  const out = new GrowingBytes();
  // Whatever runs inside can write to the channel of whoever reads there: no more is kept than asked for.
  const over = new AbortController();
  const run = await runScript(ground, {
    script,
    path,
    cancel: over.signal,
    onOut: (bytes) => {
      if (out.length + bytes.length > limit + sizeLine) over.abort();
      else out.append(bytes);
    },
  });
  const bytes = out.view();
  const newline = bytes.indexOf(0x0a);
  const size = Buffer.from(bytes.subarray(0, Math.max(0, newline))).toString();
  if (!over.signal.aborted) run.check();
  if (over.signal.aborted || !/^\d{1,15}$/.test(size) || bytes.length - newline - 1 > limit) {
    throw new ForgeError(
      'sandbox_failed',
      `${JSON.stringify(path)}: what came from the sandbox is no content of a file. Something in it disturbs the reading.`,
    );
  }
  return { bytes: bytes.subarray(newline + 1), size: Number(size) };
}

export async function writeFile(
  ground: Ground,
  path: string,
  file: { readonly content: Uint8Array | string } & WriteOptions,
): Promise<void> {
  checkPath(path);
  if (path.endsWith('/')) throw failure(41, path, '');
  const mode = file.mode === undefined ? '' : (file.mode & 0o7777).toString(8);
  const script = [writeScript, inFolder(ground.workspace, path), mode, ground.nonce()];
  const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
  const input = content.length === 0 ? undefined : pieces(content);
  (await runScript(ground, { script, path, input })).check();
}

export async function copyIn(ground: Ground, folder: string, tar: Readable): Promise<void> {
  checkPath(folder);
  const script = [unpackScript, inFolder(ground.workspace, folder)];
  let broken: { readonly error: unknown } | undefined;
  const input = (async function* () {
    try {
      yield* safeTar(tar);
    } catch (error) {
      broken = { error };
      throw error;
    }
  })();
  const run = await runScript(ground, { script, path: folder, input, ms: ground.limits.timeMs });
  if (broken !== undefined) throw broken.error;
  run.check();
}

/** Settles once the first bytes are there, or it is known that there are none. */
export async function copyOut(ground: Ground, path: string): Promise<Readable> {
  checkPath(path);
  const script = [packScript, inFolder(ground.workspace, path)];
  const cancel = new AbortController();
  let channel: Channel | undefined;
  const first = Promise.withResolvers<void>();
  const stream = new Readable({
    read: () => channel?.resume(),
    destroy: (error, done) => {
      cancel.abort();
      done(error);
    },
  });
  const ran = runScript(ground, {
    script,
    path,
    ms: ground.limits.timeMs,
    cancel: cancel.signal,
    onChannel: (own) => {
      channel = own;
    },
    onOut: (bytes) => {
      first.resolve();
      if (stream.destroyed) return;
      if (!stream.push(bytes)) channel?.pause();
    },
  }).then((run) => {
    channel = undefined;
    run.check();
    stream.push(null);
  });
  ran.catch((error: unknown) =>
    stream.destroy(error instanceof Error ? error : new Error(messageOf(error))),
  );
  stream.on('error', () => {});
  await Promise.race([first.promise, ran]);
  return stream;
}

interface Script {
  readonly script: readonly string[];
  /** As the caller knows it, for messages. */
  readonly path: string;
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  readonly ms?: number;
  readonly cancel?: AbortSignal;
  readonly onOut?: (bytes: Uint8Array) => void;
  readonly onChannel?: (channel: Channel) => void;
}

async function runScript(ground: Ground, options: Script): Promise<{ check(): void }> {
  const { script, path, input, ms = fileMs, onOut, onChannel } = options;
  const [source = '', ...args] = script;
  const complaints = new GrowingBytes();
  const { end } = await runCommand(
    { ...ground, limits: { ...ground.limits, timeMs: ms } },
    {
      command: { argv: ['sh', '-c', source, 'sh', ...args], cwd: '/' },
      ...(input === undefined ? {} : { input }),
      ...(onChannel === undefined ? {} : { onChannel }),
      cancel: options.cancel ?? never,
      onData: (stream, bytes) => {
        if (stream === 'stdout') onOut?.(bytes);
        else complaints.append(bytes.subarray(0, complaintBytes - complaints.length));
      },
    },
  );
  return { check: () => checkEnd(end, path, Buffer.from(complaints.view()).toString().trim()) };
}

const never = new AbortController().signal;

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

function checkEnd(end: RunEnd['end'], path: string, complaint: string): void {
  switch (end.type) {
    case 'exited':
      if (end.code !== 0) throw failure(end.code, path, complaint);
      return;
    case 'sandbox_ended':
      throw new ForgeError('not_running', end.problem);
    case 'cancelled':
      throw new ForgeError('cancelled', `The work on ${path} was cancelled.`);
    case 'timed_out':
      throw new ForgeError('tool_timeout', `${path}: nothing was done within ${end.afterMs} ms.`);
    case 'not_started':
      throw new ForgeError('sandbox_failed', `${path}: ${end.problem}`);
    case 'signalled':
      throw new ForgeError('sandbox_failed', `${path}: the work was ended by ${end.signal}.`);
  }
}

function failure(code: number, path: string, complaint: string): ForgeError {
  const name = JSON.stringify(path);
  const why = complaint === '' ? '' : ` ${complaint}`;
  if (code === 40) return new ForgeError('not_found', `There is no ${name} in the sandbox.`);
  if (code === 41) return new ForgeError('not_a_file', `${name} is not a file.`);
  if (/no space left|disk quota/i.test(complaint)) {
    return new ForgeError('too_large', `${name} does not fit: the sandbox's disk is full.${why}`);
  }
  if (code === 42 || code === 43) {
    return new ForgeError('not_allowed', `${name} cannot be read or written here.${why}`);
  }
  return new ForgeError(
    'sandbox_failed',
    `${name}: the sandbox's own tools failed (${code}).${why}`,
  );
}
