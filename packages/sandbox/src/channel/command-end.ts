import { constants } from 'node:os';
import type { ExecEnd, SandboxLimits } from '../sandbox.ts';
import type { Ground, RunEnd, RunOptions } from './command-run.ts';
import { execComplaint } from './exec-complaint.ts';
import { inFolder } from './in-folder.ts';
import type { JobEnd, NotStarted } from './job.ts';

interface Ending {
  readonly job: JobEnd;
  readonly ground: Ground;
  readonly options: RunOptions;
  readonly ended: (end: ExecEnd, exitCode?: number) => RunEnd;
  /** If that is all it printed, and little. */
  readonly stderr: string;
}

/** How a command ended, from how its job did. */
export async function endOf({ job, ground, options, ended, stderr }: Ending): Promise<RunEnd> {
  if (job.type === 'not_started') {
    const problem = whyNot(job.reason, options.command, ground.workspace);
    return ended({ type: 'not_started', problem }, job.reason === 'denied' ? 126 : 127);
  }
  if (job.type === 'ended' && !job.signalled) {
    const problem = execComplaint(job.code, stderr);
    if (problem !== undefined) return ended({ type: 'not_started', problem }, job.code);
    return ended({ type: 'exited', code: job.code });
  }
  if (job.type === 'lost') {
    const problem = await ground.ended();
    if (problem !== undefined) return ended({ type: 'sandbox_ended', problem });
    if (!job.started) return ended({ type: 'not_started', problem: noProcess(ground.limits) });
  }
  // A command whose channel was killed under it was killed with it: it runs no more.
  const signal = job.type === 'lost' ? 'SIGKILL' : signalName(job.code - 128);
  const outOfMemory = signal === 'SIGKILL' && (await ground.memoryKills());
  return ended({ type: 'signalled', signal, ...(outOfMemory ? { outOfMemory } : {}) });
}

function whyNot(
  reason: NotStarted,
  { argv, cwd }: RunOptions['command'],
  workspace: string,
): string {
  switch (reason) {
    case 'folder':
      return `There is no folder ${inFolder(workspace, cwd)} in the sandbox, or it may not be entered.`;
    case 'missing':
      return `There is no program ${argv[0]} in the sandbox. It has to be in the image, or on PATH.`;
    case 'denied':
      return `${argv[0]} is not a program that may be run: a folder, or without the permission to execute.`;
  }
}

function noProcess({ pids }: SandboxLimits): string {
  return `The sandbox could not start a process: it may have ${pids} at once and they are all taken, or its memory is full.`;
}

const names = new Map<number, string>();
// Some have two names: the first is the usual one.
for (const [name, number] of Object.entries(constants.signals)) {
  if (!names.has(number)) names.set(number, name);
}

function signalName(number: number): string {
  return names.get(number) ?? `SIG${number}`;
}
