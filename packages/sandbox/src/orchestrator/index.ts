export type { Tokens } from './authorise.ts';
export { type Log, type LogLevel, logLevels } from './log.ts';
export { defaultPolicy, type OrchestratorPolicy } from './policy.ts';
export {
  type Orchestrator,
  type OrchestratorOptions,
  type OrchestratorTls,
  startOrchestrator,
} from './start-orchestrator.ts';
