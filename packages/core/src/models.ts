import type { ReasoningReplay } from './context/sent-window.ts';
import type { JsonObject } from './json.ts';
import type { AssistantPart, Message } from './messages/message.ts';
import type { JsonSchema } from './schema/json-schema.ts';

/** A tool as a model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Fields of a provider that ride along (strictness, cache marks). */
  readonly provider?: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
}

/** Tokens as the backend counted them. `inputTokens` includes cached ones. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  /** Tokens written to the provider's cache, part of `inputTokens`; some bill them higher. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';

export interface ModelReply {
  readonly content: readonly AssistantPart[];
  readonly finish: FinishReason;
  readonly usage?: Usage;
  /** In US dollars, where the price is known. */
  readonly cost?: number;
  /** The id of the model that answered, where the one that was asked passes on to others. */
  readonly model?: string;
}

/** A piece of a reply while it is being written. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string };

/**
 * A voice. `complete` resolves with the whole reply; if the backend streams, deltas go to
 * `onDelta` on the way. It rejects only when no reply could be had, and stops when `signal`
 * aborts.
 */
export interface Model {
  readonly id: string;
  /** Why this one was chosen among others, for the log. */
  readonly chosen?: JsonObject;
  complete(
    request: ModelRequest,
    options: { signal: AbortSignal; onDelta?: (delta: ModelDelta) => void },
  ): Promise<ModelReply>;
  /** How much of its own reasoning this model wants to see again. The agent's own setting wins. */
  readonly reasoningReplay?: ReasoningReplay;
  /** The context window in tokens, if the backend can tell. */
  contextLength?(options: { signal: AbortSignal }): Promise<number | undefined>;
}
