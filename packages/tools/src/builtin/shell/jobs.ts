import { ForgeError, ToolResolutionError } from '@forge/core';
import type { Command, Sandbox } from '@forge/sandbox';
import { type Job, startJob } from './job.ts';

/** Jobs of one sandbox that are kept after their end, for who has not read their output yet. */
const mostEnded = 16;

/**
 * The background jobs of sandboxes. A job lives in its sandbox and in this process: it ends with
 * either. Its record goes when its sandbox is let go of.
 */
export interface Jobs {
  start(sandbox: Sandbox, options: { readonly label: string; readonly command: Command }): Job;
  /** Throws what the model has to know if there is none. */
  get(sandbox: Sandbox, id: string): Job;
  list(sandbox: Sandbox): readonly Job[];
}

export function createJobs({ maxRunning = 4 }: { readonly maxRunning?: number } = {}): Jobs {
  const all = new WeakMap<Sandbox, { readonly jobs: Map<string, Job>; started: number }>();
  const of = (sandbox: Sandbox) => {
    const known = all.get(sandbox) ?? { jobs: new Map<string, Job>(), started: 0 };
    all.set(sandbox, known);
    return known;
  };
  const list = (sandbox: Sandbox) => [...of(sandbox).jobs.values()];
  return {
    list,
    start(sandbox, { label, command }) {
      const known = of(sandbox);
      const running = list(sandbox).filter((job) => job.result() === undefined);
      if (running.length >= maxRunning) {
        const ids = running.map(({ id }) => id).join(', ');
        throw new ForgeError(
          'not_allowed',
          `${running.length} background jobs are running (${ids}), which is all there may be. End one with shell_kill.`,
        );
      }
      const ended = list(sandbox).filter((job) => job.result() !== undefined);
      for (const { id } of ended.slice(0, Math.max(0, ended.length - mostEnded + 1))) {
        known.jobs.delete(id);
      }
      const job = startJob({ id: `job${++known.started}`, label, sandbox, command });
      known.jobs.set(job.id, job);
      return job;
    },
    get(sandbox, id) {
      const job = of(sandbox).jobs.get(id);
      if (job !== undefined) return job;
      const ids = [...of(sandbox).jobs.keys()].join(', ') || 'none';
      throw new ToolResolutionError(
        `There is no job ${JSON.stringify(id.slice(0, 40))}. Jobs: ${ids}. Jobs end with the process that runs them: start it again if it is needed.`,
      );
    },
  };
}
