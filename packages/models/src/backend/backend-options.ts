import type { ReadVariable } from '../config.ts';
import type { Sleep } from '../retry/sleep.ts';

export type BackendKind = 'llamaserver' | 'llamafile' | 'ollama' | 'vllm';

/** What is asked of a model server. What a kind has no word for is an error, not left out. */
export interface LaunchSettings {
  /** Tokens of context for each request. With several slots the server gets as much for each. */
  readonly contextLength?: number;
  /** How the KV cache is stored, such as `q8_0`; half the memory for a little accuracy. */
  readonly kvCache?: { readonly key: string; readonly value: string };
  /** Requests at the same time. */
  readonly parallel?: number;
  /** One KV cache for all slots: each may use all of it while the others are idle. */
  readonly kvUnified?: boolean;
  /** Use the chat template of the model, which native tool calls need. */
  readonly jinja?: boolean;
  /** Layers on the GPU. */
  readonly gpuLayers?: number;
}

export interface RestartPolicy {
  /** Restarts in a row before giving up. 0 for none. */
  readonly attempts: number;
  /** Milliseconds before the first restart; each further wait is twice as long. */
  readonly firstDelay: number;
  readonly maxDelay: number;
  /** A server that was ready for this many milliseconds starts the count over. */
  readonly steadyAfter: number;
}

export const defaultRestart: RestartPolicy = {
  attempts: 5,
  firstDelay: 1_000,
  maxDelay: 60_000,
  steadyAfter: 600_000,
};

export interface BackendOptions extends LaunchSettings, BackendPlace {
  readonly kind: BackendKind;
  /** The GGUF file; for vLLM a folder or a name on the hub. Ollama takes none. */
  readonly model?: string;
  /** The program. Default: the usual name on PATH; for llamafile also beside the model. */
  readonly binary?: string;
  /** Default 127.0.0.1: these servers ask nobody who they are. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** Given to the server as they are, after all others, so that they win. */
  readonly extraFlags?: readonly string[];
  /** Set for the server, beside what this process has. Visible to other users in `ps`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Milliseconds to become ready. Default by kind: loading takes minutes. */
  readonly startTimeout?: number;
  readonly restart?: Partial<RestartPolicy>;
  /** Milliseconds between asking it to end and ending it. Default 10 s. */
  readonly stopGrace?: number;
  /** Bytes of log kept, twice: the current file and the one before. Default 4 MB. */
  readonly logBytes?: number;
  readonly signal?: AbortSignal;
}

/** Where backends are known. All processes that share it share their backends. */
export interface BackendPlace {
  /** Default: `forge/backends` in the user's state folder. */
  readonly stateFolder?: string;
  readonly readVariable?: ReadVariable;
  readonly sleep?: Sleep;
}
