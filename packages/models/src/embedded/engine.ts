/** As much of `node-llama-cpp` (version 3) as we use. */
export interface LocalEngine {
  getLlama(options: {
    gpu: 'auto' | false;
    build: 'never';
    progressLogs: false;
    logLevel: 'error';
    logger: (level: string, message: string) => void;
  }): Promise<Llama>;
  readonly LlamaChat: new (options: {
    contextSequence: Sequence;
    chatWrapper?: ChatWrapper;
  }) => Chat;
  readonly JinjaTemplateChatWrapper: new (options: { template: string }) => ChatWrapper;
}

export interface Llama {
  loadModel(options: {
    modelPath: string;
    gpuLayers?: number;
    loadSignal?: AbortSignal;
  }): Promise<Weights>;
  createGrammarForJsonSchema(schema: unknown): Promise<Grammar>;
  getGrammarFor(type: 'json'): Promise<Grammar>;
  dispose(): Promise<void>;
}

export interface Weights {
  readonly tokenizer: unknown;
  createContext(options: {
    contextSize: number | { max: number };
    sequences: 1;
    threads?: number;
    createSignal?: AbortSignal;
  }): Promise<Context>;
}

export interface Context {
  readonly contextSize: number;
  getSequence(): Sequence;
}

export interface Sequence {
  readonly tokenMeter: {
    getState(): { readonly usedInputTokens: number; readonly usedOutputTokens: number };
  };
}

export interface ChatWrapper {
  generateContextState(options: { chatHistory: readonly ChatItem[] }): {
    readonly contextText: { tokenize(tokenizer: unknown): readonly number[] };
  };
}

export type ChatItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly ResponsePiece[] };

export type ResponsePiece =
  | string
  | {
      readonly type: 'segment';
      readonly segmentType: 'thought' | 'comment';
      readonly text: string;
      readonly ended: boolean;
    };

/** Opaque to us: made by the engine, given back to it. */
export type Grammar = object;

export interface GenerateOptions {
  readonly signal: AbortSignal;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly repeatPenalty?: {
    readonly penalty?: number;
    readonly presencePenalty?: number;
    readonly frequencyPenalty?: number;
  };
  readonly customStopTriggers?: readonly string[];
  readonly grammar?: Grammar;
  readonly onResponseChunk: (chunk: {
    readonly type: 'segment' | undefined;
    readonly text: string;
  }) => void;
}

export interface Chat {
  readonly chatWrapper: ChatWrapper;
  generateResponse(
    history: readonly ChatItem[],
    options: GenerateOptions,
  ): Promise<{
    readonly fullResponse: readonly ResponsePiece[];
    readonly metadata: { readonly stopReason: string };
  }>;
}

/** Whether a module is the engine. Its classes are checked for being there, not for what they do. */
export function isLocalEngine(module: unknown): module is LocalEngine {
  if (typeof module !== 'object' || module === null) return false;
  return ['getLlama', 'LlamaChat', 'JinjaTemplateChatWrapper'].every(
    (name) => typeof Reflect.get(module, name) === 'function',
  );
}
