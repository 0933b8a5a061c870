import type {
  Chat,
  ChatItem,
  GenerateOptions,
  LocalEngine,
  ResponsePiece,
  Sequence,
} from './engine.ts';

/** What the fake was asked, and what it is to say. */
export interface FakeEngine {
  readonly module: LocalEngine;
  readonly asked: { readonly history: readonly ChatItem[]; readonly options: GenerateOptions }[];
  readonly loaded: unknown[];
  readonly grammars: unknown[];
  disposed: number;
  /** Most generations under way at the same time. */
  busiest: number;
}

type Say = (
  options: GenerateOptions,
  history: readonly ChatItem[],
) => Promise<{ pieces: readonly ResponsePiece[]; stopReason: string }>;

/** An engine that speaks words. One word is one token. */
export function fakeEngine(say: Say, { contextSize = 100 } = {}): FakeEngine {
  let used = { usedInputTokens: 0, usedOutputTokens: 0 };
  let busy = 0;
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
  const chatWrapper = {
    generateContextState: ({ chatHistory }: { chatHistory: readonly ChatItem[] }) => ({
      contextText: {
        tokenize: () =>
          chatHistory
            .flatMap((item) => (item.type === 'model' ? item.response.map(String) : [item.text]))
            .flatMap(words)
            .map((_, index) => index),
      },
    }),
  };
  class FakeChat implements Chat {
    readonly chatWrapper = chatWrapper;
    async generateResponse(history: readonly ChatItem[], options: GenerateOptions) {
      fake.asked.push({ history, options });
      busy += 1;
      fake.busiest = Math.max(fake.busiest, busy);
      try {
        const { pieces, stopReason } = await say(options, history);
        options.signal.throwIfAborted();
        for (const piece of pieces) {
          const type = typeof piece === 'string' ? undefined : piece.type;
          options.onResponseChunk({ type, text: typeof piece === 'string' ? piece : piece.text });
        }
        used = {
          usedInputTokens: used.usedInputTokens + 2,
          usedOutputTokens: used.usedOutputTokens + pieces.length,
        };
        return { fullResponse: pieces, metadata: { stopReason } };
      } finally {
        busy -= 1;
      }
    }
  }
  const sequence: Sequence = { tokenMeter: { getState: () => used } };
  const fake: FakeEngine = {
    asked: [],
    loaded: [],
    grammars: [],
    disposed: 0,
    busiest: 0,
    module: {
      LlamaChat: FakeChat,
      JinjaTemplateChatWrapper: class {
        readonly generateContextState = chatWrapper.generateContextState;
      },
      getLlama: async () => ({
        loadModel: async (options) => {
          fake.loaded.push(options);
          return {
            tokenizer: {},
            createContext: async () => ({ contextSize, getSequence: () => sequence }),
          };
        },
        createGrammarForJsonSchema: async (schema) => {
          fake.grammars.push(schema);
          return { schema };
        },
        getGrammarFor: async (type) => ({ type }),
        dispose: async () => {
          fake.disposed += 1;
        },
      }),
    },
  };
  return fake;
}
