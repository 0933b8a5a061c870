import type {
  FinishReason,
  JsonObject,
  JsonSchema,
  Message,
  ModelReply,
  ToolChoice,
  ToolSpec,
  Usage,
} from '@forge/core';
import type { WireError } from './wire-error.ts';

/** How the model is to choose its words. What is not set is not sent. */
export interface Settings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly repeatPenalty?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly maxTokens?: number;
}

export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json_schema';
      readonly name?: string;
      readonly schema: JsonSchema;
      readonly strict?: boolean;
    };

export interface ReasoningSettings {
  /** As the wire spells it: none, minimal, low, medium, high, … */
  readonly effort?: string;
  readonly budgetTokens?: number;
}

/** A request of no particular wire. */
export interface WireRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly settings: Settings;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: ReasoningSettings;
  readonly stream: boolean;
  /** Top-level fields this codec has no word for. They go out again on the same wire. */
  readonly extra: JsonObject;
}

/** A reply of no particular wire. */
export interface WireReply extends ModelReply {
  readonly id?: string;
  readonly model?: string;
  /** Top-level fields this codec has no word for, and the wire's own finish reason. */
  readonly extra: JsonObject;
}

/**
 * A streamed reply, piece by piece. Order: `start`, then pieces, then `finish`, or `error`
 * wherever it stops. Pieces of one block are not mixed with others of its kind; calls are told
 * apart by `index`, which rises from 0.
 */
export type StreamEvent =
  | {
      readonly type: 'start';
      readonly id?: string;
      readonly model?: string;
      readonly extra: JsonObject;
    }
  /**
   * With `provider`, fields of the text as a whole (citations, ids, signatures): words that bring
   * them begin a text of their own; without words they belong to the text before, and end it.
   */
  | { readonly type: 'text'; readonly text: string; readonly provider?: JsonObject }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The proof that goes with the reasoning before it, and (in `provider`) whose it is. */
  | { readonly type: 'signature'; readonly signature: string; readonly provider?: JsonObject }
  | {
      readonly type: 'call';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly provider?: JsonObject;
    }
  /** A piece of the JSON text of that call's arguments. */
  | { readonly type: 'args'; readonly index: number; readonly text: string }
  /** A whole block only one wire understands: `wire`, or whichever is asked to write it. */
  | { readonly type: 'opaque'; readonly value: JsonObject; readonly wire?: string }
  | {
      readonly type: 'finish';
      readonly finish: FinishReason;
      readonly usage?: Usage;
      /** In US dollars, where the wire tells it. */
      readonly cost?: number;
      readonly extra: JsonObject;
    }
  | { readonly type: 'error'; readonly error: WireError };

/** One frame of a stream: an SSE event, or a line of NDJSON as `data`. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

export interface StreamDecoder {
  push(frame: Frame): readonly StreamEvent[];
  /** The bytes have ended. A stream that was not finished yields an `error` event. */
  end(): readonly StreamEvent[];
}

export interface StreamEncoder {
  push(event: StreamEvent): readonly Frame[];
}

/**
 * One wire format, both ways: what clients need to speak it and servers need to be spoken to.
 * Decoders take `unknown` and throw `ModelError('bad_request' | 'bad_response')` that says what
 * was wrong and where; nothing else throws.
 */
export interface Wire {
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ollama';
  readonly framing: 'sse' | 'ndjson';
  /** The path to post to, after the base URL. */
  path(request: { readonly model: string; readonly stream: boolean }): string;
  encodeRequest(request: WireRequest): JsonObject;
  /** `hints` are what the wire says outside the body (Gemini: model and stream are in the path). */
  decodeRequest(
    body: unknown,
    hints?: { readonly model?: string; readonly stream?: boolean },
  ): WireRequest;
  encodeReply(reply: WireReply): JsonObject;
  decodeReply(body: unknown): WireReply;
  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(): StreamEncoder;
  /** Never throws, whatever came. */
  decodeError(response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }): WireError;
  /** `headers` say how long to wait, if the error does. */
  encodeError(error: WireError): {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: JsonObject;
  };
}
