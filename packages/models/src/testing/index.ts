export { redactJson } from './cassette/redact-secrets.ts';
export {
  type FaultyModel,
  type FaultyModelOptions,
  faultyModel,
  type MadeMistake,
} from './faulty-model.ts';
export type { Mistake } from './mistakes/mistake.ts';
export {
  type RecordOptions,
  type ReplayedModel,
  type ReplayOptions,
  recordModel,
  replayModel,
} from './recorded-model.ts';
export type { Fault, Wait } from './server/fault.ts';
export type { ScriptedExchange } from './server/respond.ts';
export type { Said, Script, ServerLine, StagedLine } from './server/server-line.ts';
export {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from './start-scripted-server.ts';
