import { defineTool, ForgeError, type Tool } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import * as z from 'zod';
import { checkBranchName } from '../git/ref-name.ts';
import { runGit } from '../git/run-git.ts';
import type { Toolbox } from '../toolbox.ts';
import { createPull, defaultApi, type GithubAccess } from './github-api.ts';
import { checkRepo, hostOfApi, readOrigin } from './origin.ts';

export interface GithubOptions extends GithubAccess {
  /** Brings the branch to GitHub before the pull request is made. Without it, it has to be there. */
  readonly push?: (branch: PushedBranch) => Promise<void>;
  /** Whether a person must say yes to each. Default true. */
  readonly approval?: boolean;
}

export interface PushedBranch {
  readonly sandbox: Sandbox;
  readonly repo: string;
  readonly branch: string;
  readonly signal: AbortSignal;
}

export function createPrTool({ sandboxOf }: Toolbox, github: GithubOptions): Tool {
  return defineTool({
    name: 'create_pr',
    description:
      'Opens a pull request on GitHub for a branch that is committed. Default: from the current branch into the default one.',
    input: z.object({
      title: z.string().min(1).max(256),
      body: z.string().max(60_000).optional(),
      base: z.string().min(1).optional().describe('Branch to merge into.'),
      head: z.string().min(1).optional().describe('Branch with the changes.'),
      repo: z.string().min(1).optional().describe('"owner/name". Default: that of origin.'),
      draft: z.boolean().optional(),
    }),
    approval: github.approval ?? true,
    run: async ({ title, body = '', draft = false, ...given }, context) => {
      const sandbox = await sandboxOf(context);
      const { signal } = context;
      const ask = (args: readonly string[]) => askGit(sandbox, args, signal);
      const repo = given.repo === undefined ? await originRepo(ask, github) : checkRepo(given.repo);
      const head = checkBranchName(given.head ?? (await currentBranch(ask)));
      const base = checkBranchName(given.base ?? (await defaultBranch(ask)));
      if (head === base) {
        throw new ForgeError(
          'tool_failed',
          `${head} cannot be merged into itself. Make a branch with git_create_branch and commit there.`,
        );
      }
      await github.push?.({ sandbox, repo, branch: head, signal });
      const pull = { repo, title, body, head, base, draft };
      const { number, url } = await createPull(github, pull, signal);
      return `Created pull request #${number}: ${url}`;
    },
  });
}

type Ask = (args: readonly string[]) => Promise<string | undefined>;

/** What git says, or undefined if it says no. */
async function askGit(
  sandbox: Sandbox,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { exitCode, stdout } = await runGit({ sandbox, args }, signal);
  const said = new TextDecoder().decode(stdout).trim();
  return exitCode === 0 && said !== '' ? said : undefined;
}

async function originRepo(ask: Ask, { apiUrl = defaultApi }: GithubOptions): Promise<string> {
  const remote = await ask(['config', '--get', 'remote.origin.url']);
  if (remote === undefined) {
    throw new ForgeError('tool_failed', 'The repository has no origin. Give repo as "owner/name".');
  }
  const { host, repo } = readOrigin(remote);
  if (host === hostOfApi(apiUrl)) return repo;
  throw new ForgeError(
    'not_allowed',
    `origin is at ${host}, not at ${hostOfApi(apiUrl)}. Give repo as "owner/name", or set apiUrl for that host.`,
  );
}

async function currentBranch(ask: Ask): Promise<string> {
  const branch = await ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (branch !== undefined) return branch;
  throw new ForgeError('tool_failed', 'No branch is checked out. Give head.');
}

async function defaultBranch(ask: Ask): Promise<string> {
  const branch = await ask(['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  if (branch !== undefined) return branch.replace(/^origin\//, '');
  throw new ForgeError(
    'tool_failed',
    'It is not known which branch is the default one. Give base.',
  );
}
