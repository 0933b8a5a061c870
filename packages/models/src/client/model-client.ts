import type { JsonObject, Model, ModelDelta, ModelReply, ModelRequest } from '@forge/core';
import type {
  ReasoningSettings,
  ResponseFormat,
  Settings,
  StreamEvent,
  WireReply,
} from '../wire/wire.ts';

/**
 * What a request says beyond its messages and tools. `null` takes back what a client was set to
 * send; a field that is not set leaves it as it is.
 */
export interface CallSettings {
  /** Merged field by field. */
  readonly settings?: Settings;
  readonly responseFormat?: ResponseFormat | null;
  readonly reasoning?: ReasoningSettings | null;
  readonly parallelToolCalls?: boolean | null;
  /** Top-level fields of the body that no wire has a word for. Merged field by field. */
  readonly extra?: JsonObject;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: ModelDelta) => void;
  /** For this call only. */
  readonly overrides?: CallSettings;
}

/** A model behind a wire: a `Model` for the kernel, and more for those who want the whole reply. */
export interface ModelClient extends Model {
  complete(request: ModelRequest, options: CallOptions): Promise<ModelReply>;
  /** As `complete`, with the id, the model and the fields only the wire knows. */
  reply(request: ModelRequest, options: CallOptions): Promise<WireReply>;
  /**
   * The reply piece by piece, as it comes. A failure is thrown as a `ModelError`, never yielded.
   * Ending the iteration early closes the connection.
   */
  stream(request: ModelRequest, options: Omit<CallOptions, 'onDelta'>): AsyncIterable<StreamEvent>;
  contextLength(options: { signal: AbortSignal }): Promise<number | undefined>;
}

/** What makes a client; the rest follows. Layers around a client replace one or both ways to ask. */
export type ModelVoice = Omit<ModelClient, 'complete'>;

/** A client from its voice: `complete` is `reply` without what only the wire knows. */
export function toClient(voice: ModelVoice): ModelClient {
  return {
    id: voice.id,
    ...(voice.reasoningReplay !== undefined && { reasoningReplay: voice.reasoningReplay }),
    reply: (request, options) => voice.reply(request, options),
    stream: (request, options) => voice.stream(request, options),
    contextLength: (options) => voice.contextLength(options),
    async complete(request, options) {
      const { content, finish, usage, cost } = await voice.reply(request, options);
      return {
        content,
        finish,
        ...(usage !== undefined && { usage }),
        ...(cost !== undefined && { cost }),
      };
    },
  };
}
