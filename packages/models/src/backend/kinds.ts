import type { BackendKind } from './backend-options.ts';

/** A flag of the command line, or a variable of the environment. */
export type Word = { readonly flag: string } | { readonly variable: string };

/** How to start one kind of server. Data only; `planLaunch` reads it. */
export interface KindRow {
  /** Its program, by the names it goes by. */
  readonly binaries: readonly string[];
  /** How to get it, for the message when it is missing. */
  readonly install: string;
  /** Comes first on the command line. */
  readonly command: readonly string[];
  readonly model: 'file' | 'file_or_name' | 'none';
  /** Undefined where the model follows the command without a flag. */
  readonly modelFlag?: string;
  /** How host and port are said; `address` is both in one. */
  readonly listen:
    | { readonly hostFlag: string; readonly portFlag: string }
    | { readonly address: Word };
  readonly words: {
    readonly contextLength?: Word;
    readonly kvCacheKey?: Word;
    readonly kvCacheValue?: Word;
    readonly parallel?: Word;
    readonly kvUnified?: Word;
    readonly jinja?: Word;
    readonly gpuLayers?: Word;
  };
  /** Variables without which a KV cache of another type is ignored. */
  readonly kvCacheNeeds?: Readonly<Record<string, string>>;
  /** The context given is divided among the slots, unless the cache is unified. */
  readonly dividesContext: boolean;
  readonly defaults: { readonly jinja?: boolean; readonly gpuLayers?: number };
  /** Answers with 200 once the server can be used. */
  readonly readyPath: string;
  /** Where the answer of `readyPath` tells the context length. */
  readonly contextLengthAt?: readonly (string | number)[];
  /** Milliseconds. */
  readonly startTimeout: number;
  /** The provider for `createModel`. */
  readonly provider: string;
  readonly source: string;
}

const llamaWords = {
  contextLength: { flag: '-c' },
  kvCacheKey: { flag: '--cache-type-k' },
  kvCacheValue: { flag: '--cache-type-v' },
  parallel: { flag: '--parallel' },
  kvUnified: { flag: '--kv-unified' },
  jinja: { flag: '--jinja' },
  gpuLayers: { flag: '-ngl' },
} as const;

/** More than any model has: all layers that fit. Harmless without a GPU. */
const allLayers = 999;

export const kinds: Readonly<Record<BackendKind, KindRow>> = {
  llamaserver: {
    binaries: ['llama-server'],
    install: 'Get llama.cpp (https://github.com/ggml-org/llama.cpp, "brew install llama.cpp")',
    command: [],
    model: 'file',
    modelFlag: '-m',
    listen: { hostFlag: '--host', portFlag: '--port' },
    words: llamaWords,
    dividesContext: true,
    defaults: { jinja: true, gpuLayers: allLayers },
    readyPath: '/props',
    contextLengthAt: ['default_generation_settings', 'n_ctx'],
    startTimeout: 180_000,
    provider: 'llamacpp',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
  llamafile: {
    binaries: ['llamafile'],
    install: 'Put a llamafile beside the model (https://github.com/mozilla-ai/llamafile)',
    command: ['--server', '--nobrowser'],
    model: 'file',
    modelFlag: '-m',
    listen: { hostFlag: '--host', portFlag: '--port' },
    words: llamaWords,
    dividesContext: true,
    // Older ones end at flags they do not know, and --jinja is one of those.
    defaults: { gpuLayers: allLayers },
    readyPath: '/props',
    contextLengthAt: ['default_generation_settings', 'n_ctx'],
    startTimeout: 180_000,
    provider: 'llamafile',
    source: 'https://github.com/mozilla-ai/llamafile',
  },
  ollama: {
    binaries: ['ollama'],
    install: 'Get Ollama (https://ollama.com/download)',
    command: ['serve'],
    model: 'none',
    listen: { address: { variable: 'OLLAMA_HOST' } },
    words: {
      contextLength: { variable: 'OLLAMA_CONTEXT_LENGTH' },
      kvCacheKey: { variable: 'OLLAMA_KV_CACHE_TYPE' },
      parallel: { variable: 'OLLAMA_NUM_PARALLEL' },
    },
    kvCacheNeeds: { OLLAMA_FLASH_ATTENTION: '1' },
    dividesContext: false,
    defaults: {},
    readyPath: '/api/version',
    startTimeout: 60_000,
    provider: 'ollama',
    source: 'https://docs.ollama.com/faq',
  },
  vllm: {
    binaries: ['vllm'],
    install: 'Get vLLM ("pip install vllm")',
    command: ['serve'],
    model: 'file_or_name',
    listen: { hostFlag: '--host', portFlag: '--port' },
    words: {
      contextLength: { flag: '--max-model-len' },
      kvCacheKey: { flag: '--kv-cache-dtype' },
      parallel: { flag: '--max-num-seqs' },
    },
    dividesContext: false,
    defaults: {},
    readyPath: '/v1/models',
    contextLengthAt: ['data', 0, 'max_model_len'],
    startTimeout: 300_000,
    provider: 'vllm',
    source: 'https://docs.vllm.ai/en/latest/cli/serve/',
  },
};
