export type { Kept, KeptTree } from './kept-tree.ts';
export { type LeftOut, type OpenTree, openTree } from './open-tree.ts';
export {
  openPrivateGit,
  type PrivateCommand,
  type PrivateGit,
  reapPrivateGits,
  withPrivateGit,
} from './private-git.ts';
export { readBatch } from './read-look.ts';
export { gitOnRefs, openRepository, type Repository } from './repository.ts';
export type { LookLimits } from './tree-inside.ts';
