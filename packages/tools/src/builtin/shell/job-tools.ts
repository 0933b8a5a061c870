import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import type { Toolbox } from '../toolbox.ts';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';
import { describeEnd } from './show-execution.ts';

const longestWait = 60;
const job_id = z.string().min(1).max(40).describe('As shell gave it, such as "job1".');

/** Tools to look after the background jobs of `shell`. */
export function jobTools(toolbox: Toolbox, jobs: Jobs): Tool[] {
  return [outputTool(toolbox, jobs), killTool(toolbox, jobs), listTool(toolbox, jobs)];
}

function outputTool({ sandboxOf, results }: Toolbox, jobs: Jobs): Tool {
  return defineTool({
    name: 'shell_output',
    description:
      'Shows what a background job has printed since a cursor, and whether it still runs. Can wait for news.',
    input: z.object({
      job_id,
      cursor: z
        .int()
        .min(0)
        .optional()
        .describe('As the last call gave it. Default: the beginning.'),
      wait_seconds: z
        .number()
        .min(0)
        .max(longestWait)
        .optional()
        .describe('Wait this long for output or the end, if there is nothing new. Default 0.'),
    }),
    idempotent: true,
    run: async ({ job_id: id, cursor = 0, wait_seconds = 0 }, context) => {
      const job = jobs.get(await sandboxOf(context), id);
      if (wait_seconds > 0) {
        const timeUp = AbortSignal.timeout(wait_seconds * 1_000);
        await job.news(cursor, AbortSignal.any([context.signal, timeUp]));
        context.signal.throwIfAborted();
      }
      const { bytes, from, next } = job.outputFrom(cursor);
      const shown =
        bytes.length === 0
          ? '(nothing new)'
          : await results.showWorkspace({ source: `output of ${id}`, content: bytes });
      const lost =
        from > cursor ? `\n[${from - cursor} bytes before this are no longer kept.]` : '';
      return `${stateOf(job)}\n${shown}${lost}\n[Next cursor: ${next}]`;
    },
  });
}

function killTool({ sandboxOf }: Toolbox, jobs: Jobs): Tool {
  return defineTool({
    name: 'shell_kill',
    description: 'Ends a background job with all it started.',
    input: z.object({ job_id }),
    idempotent: true,
    run: async ({ job_id: id }, context) => {
      const job = jobs.get(await sandboxOf(context), id);
      if (job.result() !== undefined) return `${id} had ended already. ${stateOf(job)}`;
      job.kill();
      await ended(job, context.signal);
      return `${id} was killed.`;
    },
  });
}

function listTool({ sandboxOf }: Toolbox, jobs: Jobs): Tool {
  return defineTool({
    name: 'shell_jobs',
    description: 'Lists the background jobs.',
    input: z.object({}),
    idempotent: true,
    run: async (_, context) => {
      const list = jobs.list(await sandboxOf(context));
      if (list.length === 0) return 'There are no background jobs.';
      return list.map((job) => `${job.id}: ${stateOf(job)}: ${job.label}`).join('\n');
    },
  });
}

async function ended(job: Job, signal: AbortSignal): Promise<void> {
  while (job.result() === undefined) {
    await job.news(Number.POSITIVE_INFINITY, signal);
    signal.throwIfAborted();
  }
}

function stateOf(job: Job): string {
  const result = job.result();
  return result === undefined ? 'Running' : `Ended. ${describeEnd(result)}`;
}
