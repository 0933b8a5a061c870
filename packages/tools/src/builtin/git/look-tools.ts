import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import { workspacePath } from '../inside/workspace-path.ts';
import type { Toolbox } from '../toolbox.ts';
import { checkRevision } from './ref-name.ts';
import { gitOk } from './run-git.ts';

export const repo = z
  .string()
  .min(1)
  .optional()
  .describe('Folder of the repository. Default: the workspace.');

/** Neither a program of the repository's choice nor one for its file types. */
const plainDiff = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** Tools that look at a repository and change nothing. */
export function gitLookTools(toolbox: Toolbox): Tool[] {
  return [statusTool(toolbox), diffTool(toolbox), logTool(toolbox), branchesTool(toolbox)];
}

function statusTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'git_status',
    description: 'Shows the branch and which files are changed, staged or new.',
    input: z.object({ repo }),
    idempotent: true,
    run: async (args, context) => {
      const sandbox = await sandboxOf(context);
      const command = ['status', '--short', '--branch', '--untracked-files=all'];
      const { stdout } = await gitOk({ sandbox, repo: args.repo, args: command }, context.signal);
      const clean = stdout.subarray(0, -1).includes(10) ? '' : '\nNothing is changed.';
      return (await results.showWorkspace({ source: 'git status', content: stdout })) + clean;
    },
  });
}

function diffTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'git_diff',
    description:
      'Shows what is changed and not staged; with staged, what is staged; with base_ref, what differs from that revision.',
    input: z
      .object({
        repo,
        path: z.string().min(1).optional().describe('Only this file or folder of the repository.'),
        staged: z.boolean().optional(),
        base_ref: z.string().min(1).optional().describe('Such as "main" or "HEAD~1".'),
      })
      .refine(({ staged, base_ref }) => staged !== true || base_ref === undefined, {
        path: ['base_ref'],
        message: 'staged and base_ref exclude each other',
      }),
    idempotent: true,
    run: async ({ repo: folder, path, staged, base_ref }, context) => {
      const sandbox = await sandboxOf(context);
      const args = [
        'diff',
        ...plainDiff,
        ...(staged === true ? ['--cached'] : []),
        ...(base_ref === undefined ? [] : [checkRevision(base_ref)]),
        '--',
        ...(path === undefined ? [] : [workspacePath(path, sandbox.workspace)]),
      ];
      const { stdout } = await gitOk({ sandbox, repo: folder, args }, context.signal);
      if (stdout.length === 0) return 'No changes found.';
      return results.showWorkspace({ source: 'git diff', content: stdout });
    },
  });
}

function logTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'git_log',
    description: 'Shows the last commits: hash, date, author, subject.',
    input: z.object({
      repo,
      ref: z.string().min(1).optional().describe('Where to begin. Default: HEAD.'),
      path: z.string().min(1).optional().describe('Only commits that changed this.'),
      limit: z.int().min(1).max(500).optional().describe('Default 20.'),
      patch: z.boolean().optional().describe('Also what each one changed.'),
    }),
    idempotent: true,
    run: async ({ repo: folder, ref, path, limit = 20, patch = false }, context) => {
      const sandbox = await sandboxOf(context);
      const args = [
        'log',
        `--max-count=${limit}`,
        '--date=iso-strict',
        '--format=%h %ad %an: %s',
        ...plainDiff,
        ...(patch ? ['--patch'] : []),
        ...(ref === undefined ? [] : [checkRevision(ref)]),
        '--',
        ...(path === undefined ? [] : [workspacePath(path, sandbox.workspace)]),
      ];
      const { stdout } = await gitOk({ sandbox, repo: folder, args }, context.signal);
      if (stdout.length === 0) return 'No commits found.';
      return results.showWorkspace({ source: 'git log', content: stdout });
    },
  });
}

function branchesTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'git_branches',
    description: 'Lists the branches; the current one has a *.',
    input: z.object({ repo }),
    idempotent: true,
    run: async (args, context) => {
      const sandbox = await sandboxOf(context);
      const format =
        '--format=%(if)%(HEAD)%(then)%(HEAD)%(else) %(end) %(refname:short) %(objectname:short)';
      const command = ['branch', '--all', '--no-color', format];
      const { stdout } = await gitOk({ sandbox, repo: args.repo, args: command }, context.signal);
      if (stdout.length === 0) return 'There are no branches yet: nothing is committed.';
      return results.showWorkspace({ source: 'git branch', content: stdout });
    },
  });
}
