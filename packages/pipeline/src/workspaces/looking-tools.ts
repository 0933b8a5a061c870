import { toolAliases } from '@forge/tools';

/** Built-in tools that change no file. Every other tool is taken to change some. */
const looking = [
  'read',
  'list',
  'glob',
  'search',
  'shell_output',
  'shell_jobs',
  'git_status',
  'git_diff',
  'git_log',
  'git_branches',
  'read_result',
  'plan',
  'http_fetch',
  'http_check',
  'remember',
  'recall',
  'search_memory',
  'forget',
  'send_message',
  'find_tools',
];

/** Built-in tools that change files, and whose results are words to a model. */
const changing = [
  'write',
  'edit',
  'apply_patch',
  'shell',
  'shell_kill',
  'git_add',
  'git_commit',
  'git_create_branch',
  'git_switch',
];

const withAliases = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.flatMap((name) => [name, ...(toolAliases[name] ?? [])]));

export const lookingTools = withAliases(looking);

/** Those that work on the files of a run: a note about the sandbox may stand before their results. */
export const workspaceTools = withAliases([
  ...['read', 'list', 'glob', 'search', 'shell_output', 'shell_jobs'],
  ...['git_status', 'git_diff', 'git_log', 'git_branches'],
  ...changing,
]);
