export { processesMarked, signalProcess } from './marked-processes.ts';
export {
  fateOf,
  identifyProcess,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from './process-identity.ts';
