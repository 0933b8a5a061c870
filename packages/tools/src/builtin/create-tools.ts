import type { Tool } from '@forge/core';
import { createResults, type ResultOptions } from '../results/create-results.ts';
import { readResult } from '../results/read-result.ts';
import { aliasesOf } from './aliases.ts';
import { editTool } from './files/edit-tool.ts';
import { readTool } from './files/read-tool.ts';
import { writeTool } from './files/write-tool.ts';
import { defaultIdentity, type GitIdentity, gitChangeTools } from './git/change-tools.ts';
import { gitLookTools } from './git/look-tools.ts';
import { createPrTool, type GithubOptions } from './github/create-pr-tool.ts';
import type { FetchPolicy } from './http/fetch-policy.ts';
import { httpTools } from './http/http-tools.ts';
import { showingQuotes } from './inside/quoting-error.ts';
import { applyPatchTool } from './patch/apply-patch-tool.ts';
import { type MemoryOptions, memoryTools } from './people/memory-tools.ts';
import { planTool } from './people/plan-tool.ts';
import { type MessagePort, sendMessageTool } from './people/send-message-tool.ts';
import { globTool } from './search/glob-tool.ts';
import { listTool } from './search/list-tool.ts';
import { searchTool } from './search/search-tool.ts';
import { jobTools } from './shell/job-tools.ts';
import { createJobs } from './shell/jobs.ts';
import { shellTool } from './shell/shell-tool.ts';
import { type SandboxSource, sandboxGetter } from './toolbox.ts';

export interface CreateToolsOptions extends ResultOptions {
  /** Where files and commands are: one sandbox, or the way to that of a run. */
  readonly sandbox: SandboxSource;
  /** Adds `http_fetch` and `http_check`, which run beside the sandbox. `{}` for public addresses. */
  readonly fetch?: FetchPolicy;
  /** Adds `create_pr`. */
  readonly github?: GithubOptions;
  /** Adds `remember`, `recall`, `search_memory` and `forget`. */
  readonly memory?: MemoryOptions;
  /** Adds `send_message`. */
  readonly messages?: MessagePort;
  /** Who commits. */
  readonly identity?: GitIdentity;
  /** Background jobs at once in a sandbox. Default 4. */
  readonly maxJobs?: number;
  /** Also the names of earlier systems: `read_file`, `shell_exec` and so on. Default false. */
  readonly aliases?: boolean;
}

/**
 * The built-in tools. Those that touch files or run commands do so in the sandbox and nowhere else;
 * those that need something of the host are there if it is given.
 *
 * @example
 * const tools = createTools({ sandbox: (context) => sandboxOfRun(context.runId), fetch: {} });
 * defineAgent({ name: 'coder', tools: [...tools, askHuman(), ...scheduleTools({ schedules, store })] });
 */
export function createTools(options: CreateToolsOptions): Tool[] {
  const { fetch, github, memory, messages, identity = defaultIdentity } = options;
  const results = createResults(options);
  const toolbox = { sandboxOf: sandboxGetter(options.sandbox), results };
  const jobs = createJobs({ maxRunning: options.maxJobs });
  const made = [
    readTool(toolbox),
    writeTool(toolbox),
    editTool(toolbox),
    applyPatchTool(toolbox),
    listTool(toolbox),
    globTool(toolbox),
    searchTool(toolbox),
    shellTool(toolbox, { jobs }),
    ...jobTools(toolbox, jobs),
    ...gitLookTools(toolbox),
    ...gitChangeTools(toolbox, identity),
    readResult(results),
    planTool(),
    ...(fetch ? httpTools(results, fetch) : []),
    ...(github ? [createPrTool(toolbox, github)] : []),
    ...(memory ? memoryTools(memory, results) : []),
    ...(messages ? [sendMessageTool(messages)] : []),
  ];
  const tools = made.map((tool) => showingQuotes(tool, results));
  return options.aliases === true ? [...tools, ...aliasesOf(tools)] : tools;
}
