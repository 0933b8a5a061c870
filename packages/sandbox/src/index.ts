export {
  type BubblewrapBackendOptions,
  createBubblewrapBackend,
} from './bubblewrap/create-bubblewrap-backend.ts';
export { type BackendMakers, chooseBackend, type MakeBackend } from './choose-backend.ts';
export { createDockerBackend, type DockerBackendOptions } from './docker/create-docker-backend.ts';
export { connectChecked, EgressRefused, type Resolve } from './egress/connect-checked.ts';
export { findRule, type HostRule, parseHostRule, plainHost } from './egress/host-rules.ts';
export { isPublicAddress } from './egress/public-address.ts';
export {
  type EgressProxy,
  type EgressProxyOptions,
  startEgressProxy,
} from './egress/start-egress-proxy.ts';
export {
  type BuildImageOptions,
  type BuiltImage,
  buildImage,
  createImageService,
  type ImageName,
  type ImageService,
  imageNames,
} from './images/index.ts';
export { createMemoryBackend, type MemoryBackendOptions } from './memory/create-memory-backend.ts';
export { createPool, type PoolOptions, type SandboxPool } from './pool/create-pool.ts';
export {
  createProcessBackend,
  type ProcessBackendOptions,
} from './process/create-process-backend.ts';
export * from './sandbox.ts';
export type { Change, RefusedChange } from './workspace/collect-changes.ts';
export * from './workspace/commits/index.ts';
export type { WorkspaceDiff } from './workspace/diff-changes.ts';
export {
  type OpenWorkspace,
  openWorkspace,
  type Workspace,
  type WorkspaceChanges,
} from './workspace/open-workspace.ts';
export {
  type OpenWorktree,
  openWorktree,
  reapWorktrees,
  type Worktree,
} from './workspace/open-worktree.ts';
export type { WorkspaceLimits, WorkspaceSource } from './workspace/read-source.ts';
export { recoverTree } from './workspace/recover-tree.ts';
export { namesFrom, runGit } from './workspace/run-git.ts';
export { reapWorkspaces } from './workspace/workspace-folders.ts';
export { staysInside } from './workspace/workspace-path.ts';
