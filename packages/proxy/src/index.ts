export {
  type ServedWorkers,
  type ServeWorkersOptions,
  serveWorkers,
} from './cluster/serve-workers.ts';
export { createProxy, type RunningProxy } from './create-proxy.ts';
export type {
  BackendOptions,
  GuardSettings,
  LimitOptions,
  ProxyOptions,
  StepRule,
} from './options.ts';
export type { Attempt, Outcome, ProblemName, ProxyEvent, Rung } from './proxy-event.ts';
export type { SharedState } from './shared-state.ts';
export { type UsageReport, usageReportSchema } from './stats/usage-report.ts';
