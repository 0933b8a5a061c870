export * from './agents/index.ts';
export * from './approvals/index.ts';
export { createRuntime } from './control/create-runtime.ts';
export { type Divergence, type Replay, replayLog } from './control/replay-log.ts';
export type { LaunchOptions, Runtime, RunView, SendOptions } from './control/runtime.ts';
export { type RunStatus, statusOf } from './control/status-of.ts';
export * from './human/index.ts';
export { type RunMessage, type RunMessageKind, readMessage, runMessages } from './messages.ts';
export { openQueue } from './queue/open-queue.ts';
export {
  createPgBossQueue,
  type PgBossQueue,
  type PgBossQueueOptions,
} from './queue/pg-boss-queue.ts';
export type { Queue, QueueOptions, QueueProblem } from './queue/queue.ts';
export * from './schedules/index.ts';
export type { InterruptedPolicy, StopPoint } from './session/session-host.ts';
export { createWorker } from './worker/create-worker.ts';
export type { Worker, WorkerOptions, WorkerProblem } from './worker/worker.ts';
