import type { CompiledSchema, JsonSchema } from '@forge/core';
import type { ProxyEvent } from './proxy-event.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { ToolSets } from './request/tool-sets.ts';
import type { Admission } from './server/admission.ts';
import type { createTokenCounter } from './server/count-tokens.ts';
import type { BackendHeaders } from './server/request-headers.ts';
import type { SharedState } from './shared-state.ts';
import type { Backend } from './upstream/backend.ts';

/** What all requests of one proxy have in common. */
export interface ProxyContext {
  readonly settings: ProxySettings;
  readonly state: SharedState;
  readonly backend: Backend;
  readonly backendHeaders: BackendHeaders;
  readonly admission: Admission;
  readonly toolSets: ToolSets;
  readonly compile: (schema: JsonSchema) => CompiledSchema;
  /** Whether the backend was found to refuse schemas with large bounds: see `refusesLargeBounds`. */
  readonly bounds: { areSmall: boolean };
  readonly countTokens: ReturnType<typeof createTokenCounter>;
  readonly now: () => number;
  /** A request is over. */
  readonly record: (event: ProxyEvent) => void;
  /** Something of ours failed; the client was told only that. */
  readonly onBug: (error: unknown) => void;
}
