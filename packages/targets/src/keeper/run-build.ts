import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import { deployFailed } from '../deploy-failed.ts';
import { cutLog } from '../files/cut-log.ts';
import type { BuildOrder } from './control-messages.ts';
import { endGroup, markVariable } from './process-group.ts';
import { onLines } from './read-lines.ts';

const keptLines = 40;
const longestLine = 2_000;
const logBytes = 4 * 1024 * 1024;
/** Pipes may be held by something that left the group for as long as it lives. */
const lastWordsMs = 500;

/** Runs the build of a release to its end, or to the end of its time. */
export async function runBuild({
  order,
  mark,
  log,
  tell,
  signal,
}: {
  readonly order: BuildOrder;
  readonly mark: string;
  readonly log: string;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  signal.throwIfAborted();
  const { cwd, env, timeoutMs } = order;
  const [file = '', ...args] = order.command;
  const shown = order.command.join(' ').slice(0, 200);
  const last: string[] = [];
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const keep = (line: string) => {
    last.push(line);
    if (last.length > keptLines) last.shift();
    tell(line);
  };
  // Not line by line: whoever keeps this also passes requests on, and has to get to them.
  const write = (bytes: Buffer) => {
    try {
      appendFileSync(log, bytes, { mode: 0o600 });
      cutLog(log, logBytes);
    } catch {
      // A full disk: the build itself will say so.
    }
  };
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [markVariable]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', write);
    onLines(stream, { longest: longestLine, line: (text) => keep(text.slice(0, longestLine)) });
  }
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  child.once('error', (error) => resolve(`could not be run: ${messageOf(error)}`));
  child.once('exit', (code, by) => {
    const how = by === null ? `ended with code ${code}` : `was ended by ${by}`;
    const end = () => resolve(code === 0 ? undefined : how);
    const linger = setTimeout(end, lastWordsMs);
    child.once('close', () => {
      clearTimeout(linger);
      end();
    });
  });
  const timer = setTimeout(
    () => resolve(`took longer than ${timeoutMs / 1000} s and was ended (build_timeout_s)`),
    timeoutMs,
  );
  const cancel = () => reject(new ForgeError('cancelled', 'The build was cancelled.'));
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const how = await promise;
    if (how !== undefined) throw deployFailed(`The build (${shown}) ${how}.`, { log: last });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    await endGroup({ group: child.pid, mark, graceMs: 1_000 });
  }
}
