import type { Attempt, Outcome } from '@forge/proxy';
import type { WireName } from '../../project/proxy-names.ts';
import type { KnownBackend } from './ask-backend.ts';
import type { Trial } from './try-tool-call.ts';

/** What `forge proxy check` found out. Printed as it is with `--json`. */
export interface CheckReport {
  /** A tool call could be had. */
  readonly ok: boolean;
  readonly backend: KnownBackend & { readonly label: string; readonly wire: WireName };
  readonly model: string;
  /** The backend by itself. */
  readonly direct: Trial;
  /** Whether the backend streams. */
  readonly streaming: boolean;
  /** The same through the proxy. */
  readonly proxy: {
    readonly trial: Trial;
    /** `required` where the model did not call a tool of its own accord. */
    readonly toolChoice: 'auto' | 'required';
    readonly outcome: Outcome | undefined;
    readonly attempts: readonly Attempt[];
  };
  readonly advice: readonly string[];
}
