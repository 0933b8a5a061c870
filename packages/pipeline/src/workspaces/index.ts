export { checkout } from './checkout.ts';
export {
  createWorkspaces,
  forgeIdentity,
  type Workspaces,
  type WorkspacesOptions,
} from './create-workspaces.ts';
export { forkTree } from './fork-tree.ts';
export { inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
export { lookingTools } from './looking-tools.ts';
export { type MakeBranch, makeBranch } from './make-branch.ts';
export { type MergeCommits, mergeCommits } from './merge-commits.ts';
export { pruneRefs } from './prune-refs.ts';
export { type CommitRange, changedFiles, commitOf, diff } from './read-commits.ts';
export type { KeepStep } from './run-ground.ts';
export { runRef } from './run-ref.ts';
export type { Checkpoint, WorkspaceNotice } from './run-workspace.ts';
export { slugFor } from './slug-for.ts';
export { baseLabel, repoLabel } from './start-of-run.ts';
export type { Identity } from './write-commit.ts';
