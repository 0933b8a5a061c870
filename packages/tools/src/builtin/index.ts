export { toolAliases } from './aliases.ts';
export { type CreateToolsOptions, createTools } from './create-tools.ts';
export type { GitIdentity } from './git/change-tools.ts';
export type { GithubOptions, PushedBranch } from './github/create-pr-tool.ts';
export type { GithubAccess } from './github/github-api.ts';
export type { FetchPolicy } from './http/fetch-policy.ts';
export type { Memory, MemoryFact, MemoryOptions } from './people/memory-tools.ts';
export type { MessagePort } from './people/send-message-tool.ts';
export type { SandboxSource } from './toolbox.ts';
