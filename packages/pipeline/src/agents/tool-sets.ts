import type { Tool } from '@forge/core';
import {
  type CreateToolsOptions,
  createMemoryArchive,
  createResults,
  createTools,
  type Results,
} from '@forge/tools';
import type { WorkspacePort } from './ports.ts';

/** Tools that look at the tree and change nothing. */
const looking = new Set([
  'read',
  'list',
  'glob',
  'search',
  'git_status',
  'git_diff',
  'git_log',
  'git_branches',
  'read_result',
]);

/** Tools that commit or switch: the run's commits are made outside the sandbox. */
const notForAgents = new Set(['git_add', 'git_commit', 'git_create_branch', 'git_switch']);

export interface ToolSets {
  readonly results: Results;
  readonly looking: readonly Tool[];
  /** All that works on files and commands, the tree kept after each change. */
  readonly working: readonly Tool[];
}

/** The built-in tools on the trees of runs, by what they are for. */
export function createToolSets(
  workspace: WorkspacePort,
  options: Omit<CreateToolsOptions, 'sandbox'> = {},
): ToolSets {
  // One archive for all, so that any long result can be read on with read_result.
  const archive = options.archive ?? createMemoryArchive();
  const shared = { ...options, archive };
  const sandbox = ({ runId, signal }: { runId: string; signal: AbortSignal }) =>
    workspace.sandboxOf({ runId, signal });
  const all = createTools({ ...shared, sandbox });
  return {
    results: createResults(shared),
    looking: all.filter(({ spec }) => looking.has(spec.name)),
    working: workspace.checkpointed(all.filter(({ spec }) => !notForAgents.has(spec.name))),
  };
}
