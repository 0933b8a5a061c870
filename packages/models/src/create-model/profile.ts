import type { ChatDialect } from '../wire/openai-chat/index.ts';
import type { Settings } from '../wire/wire.ts';

/** How a server is asked for its context window; the price list's figure is taken where it fails. */
export type WindowQuery =
  /** llama.cpp: `n_ctx` of `/props` is what one slot has. */
  | 'llama-props'
  /** Ollama: `/api/ps` if the model is loaded, else `/api/show`. */
  | 'ollama'
  /** LM Studio: what is loaded, of `/api/v0/models`. */
  | 'lmstudio'
  /** `/v1/models`: vLLM `max_model_len`, OpenRouter and Together `context_length`, Groq `context_window`, llama.cpp `meta.n_ctx`. */
  | 'models-list'
  | 'anthropic'
  | 'gemini'
  /** The server cannot say. */
  | 'none';

/** One kind of server: data only. */
export interface Profile {
  readonly wire:
    | { readonly name: 'openai-chat'; readonly dialect?: Partial<ChatDialect> }
    | { readonly name: 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ollama' };
  /** Where it is unless told otherwise. Without one, the model's name has to hold the address. */
  readonly baseUrl?: string;
  /** A variable that moves it. */
  readonly baseUrlVariable?: string;
  /** Added to addresses without a path. */
  readonly version?: 'v1' | 'v1beta';
  readonly keyVariable?: string;
  /** A server of one's own may have a key; a service must. */
  readonly needsKey?: boolean;
  readonly keyHeader?: 'x-api-key' | 'x-goog-api-key';
  readonly headers?: Readonly<Record<string, string>>;
  /** What it is called in the price list. */
  readonly priceList?: string;
  readonly window: WindowQuery;
  /** One server, one model: its name may be left out. */
  readonly ignoresModelName?: boolean;
  /** What the API refuses or has no word for. */
  readonly unsupportedSettings?: readonly (keyof Settings)[];
  /** Whether a reply can be held to a JSON schema. */
  readonly constrains: boolean;
}
