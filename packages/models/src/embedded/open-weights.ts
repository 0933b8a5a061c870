import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { ModelError } from '../wire/model-error.ts';
import type { Chat, Llama, LocalEngine, Sequence, Weights } from './engine.ts';
import { loadEngine } from './load-engine.ts';

export interface OpenOptions {
  readonly path: string;
  /** Tokens of the context. Default: what the model was trained for, at most 8,192. */
  readonly contextLength?: number;
  /** Layers on the GPU. Default: as many as fit. */
  readonly gpuLayers?: number;
  /** `false` keeps to the CPU. Default `auto`. */
  readonly gpu?: 'auto' | false;
  /** Default: the engine's choice, but never more than there are processors. */
  readonly threads?: number;
  /** A Jinja chat template to use instead of the one in the file. */
  readonly chatTemplate?: string;
  /** Imports the engine. Default: `node-llama-cpp` from beside Forge. */
  readonly load?: () => Promise<unknown>;
}

/** Weights in memory with one context, ready to speak. */
export interface OpenedWeights {
  readonly llama: Llama;
  readonly weights: Weights;
  readonly chat: Chat;
  readonly sequence: Sequence;
  readonly contextLength: number;
}

/** A context this long takes about a gigabyte beside an 8B model; more is for those who ask. */
const defaultContextLength = 8_192;

/**
 * The engine takes at least this many threads, whatever the machine has. Its threads wait for
 * each other by spinning: with fewer processors than threads a reply takes many times as long.
 */
const leastThreads = 4;

export async function openWeights(
  options: OpenOptions,
  signal: AbortSignal,
): Promise<OpenedWeights> {
  const { path, contextLength, gpuLayers, gpu = 'auto', chatTemplate } = options;
  const processors = availableParallelism();
  const threads = options.threads ?? (processors < leastThreads ? processors : undefined);
  await refuseMissing(path);
  const engine = await loadEngine(options.load);
  const llama = await engine.getLlama({
    gpu,
    build: 'never',
    progressLogs: false,
    logLevel: 'error',
    logger: () => {}, // What matters is thrown; libraries do not print.
  });
  try {
    const weights = await llama.loadModel({
      modelPath: path,
      loadSignal: signal,
      ...(gpuLayers !== undefined && { gpuLayers }),
    });
    const context = await weights.createContext({
      contextSize: contextLength ?? { max: defaultContextLength },
      sequences: 1,
      createSignal: signal,
      ...(threads !== undefined && { threads }),
    });
    const sequence = context.getSequence();
    const chat = createChat(engine, sequence, chatTemplate);
    return { llama, weights, chat, sequence, contextLength: context.contextSize };
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

function createChat(engine: LocalEngine, sequence: Sequence, template: string | undefined): Chat {
  const { LlamaChat, JinjaTemplateChatWrapper } = engine;
  return new LlamaChat({
    contextSequence: sequence,
    ...(template !== undefined && { chatWrapper: new JinjaTemplateChatWrapper({ template }) }),
  });
}

async function refuseMissing(path: string) {
  try {
    await access(path, constants.R_OK);
  } catch (cause) {
    throw new ModelError(
      { kind: 'not_found', message: `There is no model file ${path} that can be read.` },
      { cause },
    );
  }
}
