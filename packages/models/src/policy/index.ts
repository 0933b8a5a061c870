export { type CascadeOptions, cascade } from './cascade.ts';
export {
  type ConstrainedRequest,
  constrainRequest,
  keepsShape,
  readConstrained,
} from './constrained-call.ts';
export { countRefusals } from './count-refusals.ts';
export { type FallbackOptions, fallback } from './fallback.ts';
export type { ModelEvent, OnModelEvent } from './model-event.ts';
export { promptTools } from './prompt-tools.ts';
export { reasoningReplayFor } from './reasoning-replay.ts';
export { replayReasoning } from './replay-reasoning.ts';
export { refusesLargeBounds, withSmallBounds } from './small-bounds.ts';
export {
  type ConstrainOptions,
  type ConstrainPolicy,
  withConstrainedCalls,
} from './with-constrained-calls.ts';
