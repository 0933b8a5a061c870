import { defineTool, type Tool, ToolResolutionError } from '@forge/core';
import * as z from 'zod';
import type { Code } from '../../contracts.ts';
import { failedCommands, lastChecks, runChecks } from '../checks/check-record.ts';
import type { Kept, RunPort, WorkspacePort } from '../ports.ts';
import { shownNames } from '../shown-names.ts';

export interface FinishOptions {
  readonly workspace: WorkspacePort;
  readonly runs: RunPort;
  /** Also makes a branch of the work, named after the task. */
  readonly branch?: boolean;
}

/**
 * Ends a coder's work with a commit. It does not take the coder's word: the last run of the checks
 * has to have passed, on exactly the tree that is there now. Both are in the log, so a restart in
 * between changes nothing.
 */
export function finishTool({ workspace, runs, branch = false }: FinishOptions): Tool {
  return defineTool({
    name: 'finish',
    description:
      'Ends your work and commits it. Takes it only if run_checks passed and no file changed since.',
    input: z.object({
      summary: z.string().min(1).max(8_000).describe('What you did and why, for whoever goes on.'),
      message: z
        .string()
        .min(1)
        .max(4_000)
        .describe('The commit message: a short first line, then the reasons if they matter.'),
      nothing_to_do: z
        .string()
        .min(1)
        .max(4_000)
        .optional()
        .describe('Only if no change is needed: why.'),
    }),
    prerequisites: [runChecks],
    idempotent: true,
    run: async ({ summary, message, nothing_to_do: nothing }, { runId }) => {
      const kept = await workspace.keep(runId, 'Before the end');
      const checks = await evidence(runs, runId, kept);
      if (nothing === undefined && kept.files.length === 0) {
        throw new ToolResolutionError(
          'No file is changed, so there is nothing to commit. Do the task first; if it needs no change, say why in nothing_to_do.',
        );
      }
      if (nothing !== undefined && kept.files.length > 0) {
        throw new ToolResolutionError(
          `You say that nothing is to be done, but these files are changed: ${shownNames(kept.files, 20)}. Undo that, or leave nothing_to_do out.`,
        );
      }
      const { commit, files, tree } =
        nothing === undefined
          ? await workspace.commit(runId, message.trim())
          : { ...kept, commit: (await workspace.repoOf(runId)).base };
      // A job in the background, or a call beside this one, was quicker than we are.
      if (tree !== kept.tree) throw changedSince();
      const code: Code = { commit, summary: nothing ?? summary, files: [...files], checks };
      if (!branch || nothing !== undefined) return JSON.stringify(code);
      return JSON.stringify({ ...code, branch: await makeBranch(workspace, runs, runId, commit) });
    },
  });
}

/** What the checks said, if they said it about this tree and it was good. */
async function evidence(runs: RunPort, runId: string, kept: Kept): Promise<Code['checks']> {
  const last = await lastChecks(runs, runId);
  if (last === undefined) {
    throw new ToolResolutionError('There is no run of the checks to go by. Call run_checks first.');
  }
  if (!last.passed) {
    throw new ToolResolutionError(
      `The checks did not pass: ${failedCommands(last)}. Mend the cause, call run_checks again, then finish.`,
    );
  }
  if (last.tree !== kept.tree) throw changedSince();
  return last.checks;
}

function changedSince(): ToolResolutionError {
  return new ToolResolutionError(
    'Files changed since the checks began. Call run_checks again, then finish.',
  );
}

async function makeBranch(
  workspace: WorkspacePort,
  runs: RunPort,
  runId: string,
  commit: string,
): Promise<string> {
  const { path: repo } = await workspace.repoOf(runId);
  const input = await runs.inputOf(runId);
  const name = `forge/${workspace.slugFor(taskText(input))}`;
  return workspace.makeBranch({ repo, name, commit });
}

const spoken = z.union([
  z.string(),
  z.object({ request: z.string() }).transform(({ request }) => request),
  z.object({ task: z.string() }).transform(({ task }) => task),
  z.object({ task: z.object({ title: z.string() }) }).transform(({ task }) => task.title),
]);

/** The task in words, however it was given. */
export function taskText(input: unknown): string {
  return spoken.safeParse(input).data ?? 'work';
}
