export { processesMarked, signalProcess } from './marked-processes.ts';
export { type OwnedFolder, OwnedFolders } from './owned-folders.ts';
export {
  fateOf,
  identifyProcess,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from './process-identity.ts';
