export * from './agents/index.ts';
export * from './approvals/index.ts';
export {
  createRuntime,
  type LaunchOptions,
  type Runtime,
  type RunView,
  type SendOptions,
} from './control/create-runtime.ts';
export { type Divergence, type Replay, replayLog } from './control/replay-log.ts';
export { type RunStatus, statusOf } from './control/status-of.ts';
export * from './human/index.ts';
export { type RunMessage, type RunMessageKind, readMessage, runMessages } from './messages.ts';
export { openQueue } from './queue/open-queue.ts';
export type { Queue, QueueOptions, QueueProblem } from './queue/queue.ts';
export * from './schedules/index.ts';
export type { InterruptedPolicy, StopPoint } from './session/session-host.ts';
export {
  createWorker,
  type Worker,
  type WorkerOptions,
  type WorkerProblem,
} from './worker/create-worker.ts';
