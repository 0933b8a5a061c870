import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type {
  AssistantPart,
  Model,
  ModelDelta,
  ModelReply,
  ModelRequest,
  Usage,
} from '@forge/core';
import { finishFromAiSdk } from '@forge/core/ai-sdk';
import { ModelError } from '../wire/model-error.ts';
import { toPrompt } from './to-prompt.ts';

export interface FromAiSdkOptions {
  /** How the model is called in events. Default: `provider:modelId`. */
  readonly id?: string;
  /** Sent with every call: temperature, maxOutputTokens, providerOptions and the like. */
  readonly settings?: Omit<
    LanguageModelV4CallOptions,
    'prompt' | 'tools' | 'toolChoice' | 'abortSignal'
  >;
}

/**
 * Any model of a Vercel AI SDK provider, as a `Model` for the kernel.
 *
 * @example
 * const model = fromAiSdk(mistral('ministral-8b-latest'));
 */
export function fromAiSdk(model: LanguageModelV4, options: FromAiSdkOptions = {}): Model {
  return {
    id: options.id ?? `${model.provider}:${model.modelId}`,
    async complete(request, { signal, onDelta }) {
      const call = { ...options.settings, ...toCall(request), abortSignal: signal };
      if (onDelta === undefined) {
        const { content, finishReason, usage } = await model.doGenerate(call);
        return toReply(content, finishReason, usage);
      }
      const { stream } = await model.doStream(call);
      return hear(stream, onDelta);
    },
  };
}

function toCall({ messages, tools, toolChoice }: ModelRequest): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(messages),
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      inputSchema: typeof inputSchema === 'boolean' ? {} : inputSchema,
    })),
    toolChoice:
      typeof toolChoice === 'object'
        ? { type: 'tool', toolName: toolChoice.tool }
        : { type: toolChoice },
  };
}

function toReply(
  content: readonly LanguageModelV4Content[],
  finish: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
): ModelReply {
  return {
    content: content.flatMap(toPart),
    finish: finishFromAiSdk(finish),
    usage: toUsage(usage),
  };
}

/** Signatures ride on the provider's metadata and go back with the very part they came on. */
function toPart(part: LanguageModelV4Content): AssistantPart[] {
  const provider =
    'providerMetadata' in part && part.providerMetadata !== undefined
      ? { provider: { 'ai-sdk': JSON.parse(JSON.stringify(part.providerMetadata)) } }
      : {};
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...provider }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...provider }];
    case 'tool-call':
      if (part.providerExecuted) return [];
      return [
        {
          type: 'tool_call',
          id: part.toolCallId,
          name: part.toolName,
          args: part.input,
          ...provider,
        },
      ];
    default:
      return []; // Sources, files and what the provider ran itself are not the kernel's.
  }
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
  };
}

type Block = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>;

/** A stream put together again, told piece by piece on the way. */
async function hear(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onDelta: (delta: ModelDelta) => void,
): Promise<ModelReply> {
  const blocks = new Map<string, Block>();
  const content: LanguageModelV4Content[] = [];
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const block: Block = { type, text: '' };
        blocks.set(`${type}:${part.id}`, block);
        content.push(block);
        mark(block, part);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning';
        const block = blocks.get(`${type}:${part.id}`);
        if (block !== undefined) block.text += part.delta;
        mark(block, part);
        onDelta({ type, text: part.delta });
        break;
      }
      case 'text-end':
        mark(blocks.get(`text:${part.id}`), part);
        break;
      case 'reasoning-end':
        mark(blocks.get(`reasoning:${part.id}`), part);
        break;
      case 'tool-call':
        content.push(part);
        break;
      case 'error':
        throw errorOf(part.error);
      case 'finish':
        return toReply(content, part.finishReason, part.usage);
      default:
        break;
    }
  }
  throw new ModelError({ kind: 'bad_response', message: 'The stream ended before the reply did.' });
}

/** Signatures come with any piece of a block, as a provider likes. The last word counts. */
function mark(block: Block | undefined, { providerMetadata }: Pick<Block, 'providerMetadata'>) {
  if (block !== undefined && providerMetadata !== undefined) {
    block.providerMetadata = providerMetadata;
  }
}

/** Some providers tell an error of a stream as the object that came. */
function errorOf(error: unknown): Error {
  if (error instanceof Error) return error;
  return new Error(typeof error === 'string' ? error : JSON.stringify(error), { cause: error });
}
