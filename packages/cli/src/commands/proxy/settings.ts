import type { GuardSettings, LimitOptions } from '@forge/proxy';
import type { BudgetModeName, WireName } from '../../project/proxy-names.ts';
import type { BackendPlace } from './backend-place.ts';

/** What `forge proxy` was told, wherever it was told it: nothing is left to be looked up. */
export interface ProxySettings {
  /** The profile it is from, for the person who reads the first lines. */
  readonly profile: { readonly name: string; readonly file: string } | undefined;
  readonly place: BackendPlace;
  readonly wire: WireName | undefined;
  readonly model: string | undefined;
  readonly backendApiKey: string | undefined;
  readonly tools: 'native' | 'prompt' | undefined;
  /** Milliseconds. */
  readonly backendTimeout: number | undefined;
  readonly connectTimeout: number | undefined;
  readonly host: string;
  readonly port: number;
  readonly apiKey: string | undefined;
  readonly guard: GuardSettings;
  readonly limits: LimitOptions;
  /** Undefined: as the backend wants it. */
  readonly serialize: boolean | number | undefined;
  readonly sessions: boolean;
  readonly learn: string | undefined;
  readonly workers: number;
}

/** How long the context of a server that is started is to be. */
export type ContextPlan =
  | { readonly mode: Exclude<BudgetModeName, 'manual'> }
  | { readonly mode: 'manual'; readonly tokens: number };
