import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import { runConfined } from '../inside/confined.ts';
import type { Toolbox } from '../toolbox.ts';
import type { Jobs } from './jobs.ts';
import { commandFields, oneOfBoth, shellCommand } from './shell-command.ts';
import { showExecution } from './show-execution.ts';

/** No command takes longer, whatever the sandbox allows. */
const longestSeconds = 600;

export function shellTool(
  { sandboxOf, results }: Toolbox,
  { jobs, defaultSeconds = 60 }: { readonly jobs: Jobs; readonly defaultSeconds?: number },
): Tool {
  return defineTool({
    name: 'shell',
    description: `Runs a command in the sandbox and gives its exit code and output. It is killed after timeout_seconds (default ${defaultSeconds}) with all it started. For servers and what takes long set background: you get a job id for shell_output.`,
    input: z
      .object({
        ...commandFields,
        timeout_seconds: z
          .number()
          .positive()
          .max(longestSeconds)
          .optional()
          .describe(`At most ${longestSeconds}.`),
        background: z.boolean().optional().describe('Do not wait for its end.'),
      })
      .refine(oneOfBoth.check, oneOfBoth.error),
    run: async ({ timeout_seconds, background = false, ...input }, context) => {
      const sandbox = await sandboxOf(context);
      const most = Math.min(sandbox.limits.timeMs, longestSeconds * 1_000);
      const seconds = timeout_seconds ?? (background ? longestSeconds : defaultSeconds);
      const timeoutMs = Math.min(seconds * 1_000, most);
      // Asked for first, as an exit code of the command itself could mean anything.
      const { cwd } = input;
      if (cwd !== undefined)
        await runConfined({ sandbox, path: cwd, script: 'enter' }, context.signal);
      const command = shellCommand({ sandbox, input, timeoutMs });
      if (background) {
        const label = (input.command ?? input.argv?.join(' ') ?? '').slice(0, 200);
        const job = jobs.start(sandbox, { label, command });
        return `Started ${job.id}. It may run for ${timeoutMs / 1_000}s. See what it prints with shell_output {"job_id": "${job.id}"}, end it with shell_kill.`;
      }
      const result = await sandbox.exec(command, { signal: context.signal }).result;
      context.signal.throwIfAborted();
      return showExecution(result, results);
    },
  });
}
