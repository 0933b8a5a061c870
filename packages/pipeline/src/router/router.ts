/** How often each model is chosen, by the kind of work: `{ coding: { 'ollama:qwen3:8b': 3 } }`. */
export type Weights = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface RouteRequest {
  /** The kind of work: planning, coding, review, deploy, verify, or an agent's own word. */
  readonly taskType: string;
  /** The model somebody named for this agent: it is used, or nothing is. */
  readonly pinned?: string | undefined;
  /** The same seed draws the same model: a run's id, so that it keeps its model over restarts. */
  readonly seed: string;
}

/** A model that could have been chosen and why it was not. */
export interface Skipped {
  readonly model: string;
  readonly why: string;
}

export interface Route {
  readonly model: string;
  /** `fallback`: the default, as no model with weight is available. */
  readonly reason: 'pinned' | 'weights' | 'default' | 'fallback';
  /** What was drawn from: the models that were available, with their shares, which add up to 1. */
  readonly weights: Readonly<Record<string, number>>;
  /** Where in those the draw fell, from 0 to 1. Undefined: nothing was drawn. */
  readonly draw: number | undefined;
  readonly skipped: readonly Skipped[];
}

/** Decides which model does a piece of work. Its decision is the model that is used. */
export interface Router {
  /** `not_found` if no model can be used, with what each of them misses. */
  route(request: RouteRequest): Route;
}
