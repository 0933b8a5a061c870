import {
  type AssistantPart,
  canonicalJson,
  type FinishReason,
  type ModelRequest,
  type Usage,
} from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import type { ResponseFormat, Settings, StreamEvent, WireReply } from '../wire/wire.ts';
import type { ChatItem, GenerateOptions, Grammar, ResponsePiece } from './engine.ts';
import { grammarSchema } from './grammar-schema.ts';
import type { OpenedWeights } from './open-weights.ts';
import { toChatHistory } from './to-chat-history.ts';

/** Below this much room the engine would push the beginning of the prompt out of its context. */
const leastRoom = 8;
const keptGrammars = 64;

export interface Speech {
  readonly model: string;
  readonly request: ModelRequest;
  readonly settings: Settings;
  readonly responseFormat: ResponseFormat | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: StreamEvent) => void;
}

/**
 * One reply from weights in memory. The calls of a context must not overlap. The prompt is never
 * cut to fit: one that is too long is a `context_overflow`.
 */
export async function speak(opened: OpenedWeights, speech: Speech): Promise<WireReply> {
  const { model, request, settings, responseFormat, signal, onEvent } = speech;
  const { chat, sequence } = opened;
  const history = toChatHistory(request.messages);
  const inputTokens = countTokens(opened, history);
  const room = opened.contextLength - inputTokens - leastRoom;
  if (room <= 0) throw overflow(inputTokens, opened.contextLength);

  onEvent({ type: 'start', model, extra: {} });
  const before = sequence.tokenMeter.getState();
  const { fullResponse, metadata } = await chat.generateResponse(history, {
    ...toGenerateOptions(settings),
    signal,
    maxTokens: Math.min(settings.maxTokens ?? room, room),
    ...(responseFormat !== undefined && { grammar: await grammarFor(opened, responseFormat) }),
    onResponseChunk: ({ type, text }) => {
      if (text !== '') onEvent({ type: type === 'segment' ? 'reasoning' : 'text', text });
    },
  });
  const after = sequence.tokenMeter.getState();
  const usage: Usage = {
    inputTokens,
    outputTokens: after.usedOutputTokens - before.usedOutputTokens,
    cachedInputTokens: Math.max(0, inputTokens - (after.usedInputTokens - before.usedInputTokens)),
  };
  const finish = finishReasons[metadata.stopReason] ?? 'other';
  onEvent({ type: 'finish', finish, usage, extra: {} });
  const content = fullResponse.flatMap(toPart);
  return { model, content, finish, usage, extra: { stop_reason: metadata.stopReason } };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  eogToken: 'stop',
  stopGenerationTrigger: 'stop',
  customStopTrigger: 'stop',
  maxTokens: 'length',
};

function countTokens({ chat, weights }: OpenedWeights, chatHistory: ChatItem[]): number {
  const asked: ChatItem[] = [...chatHistory, { type: 'model', response: [] }];
  const { contextText } = chat.chatWrapper.generateContextState({ chatHistory: asked });
  return contextText.tokenize(weights.tokenizer).length;
}

function overflow(tokens: number, contextLength: number): ModelError {
  return new ModelError({
    kind: 'context_overflow',
    message: `The prompt has ${tokens} tokens and the context of the local model ${contextLength}.`,
  });
}

function toGenerateOptions(settings: Settings): Partial<GenerateOptions> {
  const { temperature, topP, topK, minP, seed, stop } = settings;
  const { repeatPenalty, presencePenalty, frequencyPenalty } = settings;
  const penalties = {
    ...(repeatPenalty !== undefined && { penalty: repeatPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
  };
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(minP !== undefined && { minP }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { customStopTriggers: stop }),
    ...(Object.keys(penalties).length > 0 && { repeatPenalty: penalties }),
  };
}

function toPart(piece: ResponsePiece): AssistantPart[] {
  if (typeof piece !== 'string') return [{ type: 'reasoning', text: piece.text }];
  return piece === '' ? [] : [{ type: 'text', text: piece }];
}

const grammars = new WeakMap<OpenedWeights, Map<string, Grammar>>();

/** Grammars are costly to make and the same tools come again: they are kept, a bounded number. */
async function grammarFor(opened: OpenedWeights, format: ResponseFormat): Promise<Grammar> {
  const { llama } = opened;
  const known = grammars.get(opened) ?? new Map<string, Grammar>();
  grammars.set(opened, known);
  const key = format.type === 'json' ? 'json' : canonicalJson(format.schema);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made =
    format.type === 'json'
      ? await llama.getGrammarFor('json')
      : await llama.createGrammarForJsonSchema(grammarSchema(format.schema));
  const [oldest] = known.keys();
  if (known.size >= keptGrammars && oldest !== undefined) known.delete(oldest);
  known.set(key, made);
  return made;
}
