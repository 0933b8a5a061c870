import { messageOf } from '@forge/core';
import { timeFor } from '../checks/check-command.ts';
import { exitCodeOf } from '../checks/exit-code-of.ts';
import type { Command, ExecEnd, ExecResult, OutputChunk, SandboxLimits } from '../sandbox.ts';
import type { Channel } from './channel.ts';
import { endOf } from './command-end.ts';
import type { Control } from './control.ts';
import type { Crew, Member } from './crew.ts';
import { Heard, tooLong } from './exec-complaint.ts';
import { inFolder } from './in-folder.ts';
import { type JobEnd, runJob } from './job.ts';
import type { Lanes } from './lanes.ts';

/** How long a killed command may take to be gone before its channel is given up. */
const dyingMs = 5_000;
/** How long the loop may take to start a command: a sandbox full of work is slow. */
const startMs = 30_000;

/** What the commands of one sandbox share. */
export interface Ground {
  readonly lanes: Lanes;
  readonly crew: Crew;
  readonly control: () => Promise<Control>;
  readonly limits: SandboxLimits;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: () => number;
  readonly nonce: () => string;
  readonly memoryKills: () => Promise<boolean>;
  /** The problem, if the sandbox itself has ended. */
  readonly ended: () => Promise<string | undefined>;
}

export interface RunOptions {
  readonly command: Omit<Command, 'stdin'>;
  readonly input?: AsyncIterable<Uint8Array>;
  readonly onData: (stream: OutputChunk['stream'], bytes: Buffer) => void;
  /** Called with the channel it runs on, for those that slow it down. */
  readonly onChannel?: (channel: Channel) => void;
  readonly cancel: AbortSignal;
}

export type RunEnd = Pick<ExecResult, 'end' | 'exitCode' | 'durationMs'>;

/** One command from its place in line to the last process it left. Never rejects. */
export async function runCommand(ground: Ground, options: RunOptions): Promise<RunEnd> {
  const { clock, lanes, crew } = ground;
  const begun = clock();
  const ended = (end: ExecEnd, exitCode = exitCodeOf(end)): RunEnd => ({
    end,
    exitCode,
    durationMs: clock() - begun,
  });
  const { command } = options;
  const long = tooLong([
    ...command.argv,
    ...Object.entries(command.env ?? {}).map((pair) => pair.join('=')),
  ]);
  if (long !== undefined) return ended({ type: 'not_started', problem: long }, 126);
  let channel: Channel;
  try {
    channel = await lanes.take(options.cancel);
  } catch (error) {
    if (options.cancel.aborted) return ended({ type: 'cancelled' });
    const problem = await ground.ended();
    if (problem !== undefined) return ended({ type: 'sandbox_ended', problem });
    return ended({ type: 'not_started', problem: messageOf(error) });
  }
  const member = await crew.enter(ground.nonce());
  if (options.cancel.aborted) {
    crew.cancel(member);
    lanes.give(channel);
    return ended({ type: 'cancelled' });
  }
  options.onChannel?.(channel);
  const heard = new Heard(options.onData);
  const onData: RunOptions['onData'] = (stream, bytes) => heard.hear(stream, bytes);
  const { job, stopped } = await withLimits({
    ground,
    options: { ...options, onData },
    channel,
    member,
  });
  const left = job.type === 'lost' ? 'many' : job.left;
  const leaving = { member, left, loop: channel.pid, control: ground.control };
  const clean = await crew.leave(leaving).catch(() => false);
  if (clean) lanes.give(channel);
  else lanes.drop(channel);
  if (stopped !== undefined) return ended(stopped);
  return endOf({ job, ground, options, ended, stderr: heard.complaint() });
}

interface Limited {
  readonly ground: Ground;
  readonly options: RunOptions;
  readonly channel: Channel;
  readonly member: Member;
}

/** Runs the job and kills it when its time is up or it is cancelled. */
async function withLimits({ ground, options, channel, member }: Limited): Promise<{
  readonly job: JobEnd;
  readonly stopped?: ExecEnd;
}> {
  const { command, cancel } = options;
  const afterMs = timeFor({ ...command }, ground.limits);
  let stopped: ExecEnd | undefined;
  let dying: NodeJS.Timeout | undefined;
  const kill = () => {
    const { session } = member;
    if (session === undefined) return;
    void ground.control().then(
      (control) => control.kill(session),
      () => channel.close(),
    );
  };
  const stop = (end: ExecEnd) => {
    if (stopped !== undefined) return;
    stopped = end;
    channel.resume();
    kill();
    dying = setTimeout(() => channel.close(), dyingMs);
  };
  const cancelled = () => stop({ type: 'cancelled' });
  const timer = setTimeout(() => stop({ type: 'timed_out', afterMs }), afterMs);
  const starting = setTimeout(() => channel.close(), startMs);
  cancel.addEventListener('abort', cancelled, { once: true });
  try {
    const job = await runJob(channel, {
      nonce: ground.nonce(),
      id: member.id,
      argv: command.argv,
      folder: inFolder(ground.workspace, command.cwd),
      env: { ...ground.env, ...command.env },
      ...(options.input === undefined
        ? {}
        : { input: { bytes: options.input, end: ground.nonce() } }),
      onData: options.onData,
      onStart: (session) => {
        clearTimeout(starting);
        member.session = session;
        if (stopped !== undefined) kill();
      },
    });
    // What ended before the kill reached it has ended by itself.
    const late = job.type === 'ended' && job.code !== 128 + 9;
    return stopped === undefined || late ? { job } : { job, stopped };
  } finally {
    clearTimeout(timer);
    clearTimeout(starting);
    clearTimeout(dying);
    cancel.removeEventListener('abort', cancelled);
  }
}
