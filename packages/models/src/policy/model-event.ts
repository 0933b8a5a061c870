import type { RetryEvent } from '../retry/with-retry.ts';
import type { ModelError } from '../wire/model-error.ts';
import type { ConcessionName } from './with-concessions.ts';

/** What was done about a call that the caller did not ask for. Nothing of it happens silently. */
export type ModelEvent =
  | RetryEvent
  /** The server refused something the request can do without; it is left out from now on. */
  | {
      readonly type: 'conceded';
      readonly model: string;
      readonly concession: ConcessionName;
      readonly error: ModelError;
    }
  /** A model failed and the next one is asked. */
  | {
      readonly type: 'fell_back';
      readonly from: string;
      readonly to: string;
      readonly error: unknown;
    }
  /** The guardrails refused so often that a larger model is asked. */
  | {
      readonly type: 'escalated';
      readonly to: string;
      readonly level: number;
      readonly refusals: number;
    }
  /** The server is told to force the reply into the shape of a call. */
  | { readonly type: 'constrained'; readonly model: string; readonly refusals: number }
  /** A server that was told the shape of the reply answered in another: it may not know how to. */
  | { readonly type: 'constraint_ignored'; readonly model: string }
  /** Settings this server does not take were left out. Told once. */
  | {
      readonly type: 'settings_dropped';
      readonly model: string;
      readonly settings: readonly string[];
    };

export type OnModelEvent = (event: ModelEvent) => void;
