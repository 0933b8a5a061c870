import { defineTool, ForgeError, type Tool } from '@forge/core';
import * as z from 'zod';
import { showQuote } from '../inside/quoting-error.ts';
import { workspacePath } from '../inside/workspace-path.ts';
import type { Toolbox } from '../toolbox.ts';
import { repo } from './look-tools.ts';
import { checkBranchName, checkRevision } from './ref-name.ts';
import { gitOk, gitText, runGit } from './run-git.ts';

/** Who commits. */
export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

export const defaultIdentity: GitIdentity = { name: 'Forge', email: 'forge@localhost' };

/** Tools that change a repository, none of its remotes. */
export function gitChangeTools(toolbox: Toolbox, identity: GitIdentity): Tool[] {
  return [addTool(toolbox), commitTool(toolbox, identity), ...branchTools(toolbox)];
}

function addTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'git_add',
    description: 'Stages files for the next commit: changed, new and deleted ones.',
    input: z.object({
      repo,
      paths: z
        .array(z.string().min(1))
        .min(1)
        .max(1_000)
        .describe('Files or folders of the repository; ["."] for everything.'),
    }),
    idempotent: true,
    run: async ({ repo: folder, paths }, context) => {
      const sandbox = await sandboxOf(context);
      const inside = paths.map((path) => workspacePath(path, sandbox.workspace));
      const args = ['add', '--all', '--', ...inside];
      const { filtersOff } = await gitOk({ sandbox, repo: folder, args }, context.signal);
      const count = ['diff', '--cached', '--name-only', '--no-ext-diff'];
      const staged = await gitText({ sandbox, repo: folder, args: count }, context.signal);
      const files = staged.split('\n').filter((name) => name !== '').length;
      const filters = await showQuote(results, { quote: filtersOff.join(', ') });
      const note =
        filters === ''
          ? ''
          : `\n[Content filters of this repository are switched off: files are staged as they are.]\n${filters}`;
      return `Staged. ${files} ${files === 1 ? 'file differs' : 'files differ'} from the last commit.${note}`;
    },
  });
}

function commitTool({ sandboxOf }: Toolbox, identity: GitIdentity): Tool {
  return defineTool({
    name: 'git_commit',
    description: 'Commits what is staged (see git_add). Hooks are not run.',
    input: z.object({ repo, message: z.string().min(1).max(100_000) }),
    run: async ({ repo: folder, message }, context) => {
      if (message.includes('\0')) {
        throw new ForgeError('tool_failed', 'A commit message cannot have a NUL character.');
      }
      const sandbox = await sandboxOf(context);
      const { signal } = context;
      const check = ['diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv'];
      const { exitCode } = await runGit({ sandbox, repo: folder, args: check }, signal);
      if (exitCode === 0) return 'No staged changes to commit. Stage files with git_add first.';
      await gitOk(
        {
          sandbox,
          repo: folder,
          args: ['commit', '--quiet', '--no-verify', '--cleanup=strip', '--file=-'],
          stdin: message,
          env: {
            GIT_AUTHOR_NAME: identity.name,
            GIT_AUTHOR_EMAIL: identity.email,
            GIT_COMMITTER_NAME: identity.name,
            GIT_COMMITTER_EMAIL: identity.email,
          },
        },
        signal,
      );
      const show = ['log', '--max-count=1', '--format=%h %s', '--shortstat', '--no-ext-diff'];
      const shown = await gitText({ sandbox, repo: folder, args: show }, signal);
      return `Committed ${shown.trim().replace(/\s*\n\s*/g, '\n')}`;
    },
  });
}

function branchTools({ sandboxOf }: Toolbox): Tool[] {
  return [
    defineTool({
      name: 'git_create_branch',
      description: 'Makes a branch and goes to it.',
      input: z.object({
        repo,
        branch_name: z.string().min(1).describe('Such as "fix/login-timeout".'),
        base_ref: z.string().min(1).optional().describe('Where it begins. Default: HEAD.'),
      }),
      run: async ({ repo: folder, branch_name, base_ref }, context) => {
        const sandbox = await sandboxOf(context);
        const base = base_ref === undefined ? [] : [checkRevision(base_ref)];
        const args = ['checkout', '--quiet', '-b', checkBranchName(branch_name), ...base, '--'];
        await gitOk({ sandbox, repo: folder, args }, context.signal);
        return `Created branch ${branch_name} and switched to it.`;
      },
    }),
    defineTool({
      name: 'git_switch',
      description: 'Goes to a branch that exists. Fails where changed files would be lost.',
      input: z.object({ repo, branch_name: z.string().min(1) }),
      idempotent: true,
      run: async ({ repo: folder, branch_name }, context) => {
        const sandbox = await sandboxOf(context);
        const args = ['checkout', '--quiet', checkBranchName(branch_name), '--'];
        await gitOk({ sandbox, repo: folder, args }, context.signal);
        return `Switched to branch ${branch_name}.`;
      },
    }),
  ];
}
