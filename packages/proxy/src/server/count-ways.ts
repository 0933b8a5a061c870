import type { JsonObject } from '@forge/core';
import {
  countTokensPath,
  encodeCountTokensRequest,
  type Wire,
  type WireRequest,
  wires,
} from '@forge/models';
import * as z from 'zod';
import { replyPath } from '../upstream/backend-paths.ts';

/** Posts JSON to a path of the backend. Rejects if there is no answer. */
export type Ask = (
  path: string,
  body: JsonObject,
) => Promise<{ readonly status: number; readonly body: string }>;

/** A way to have a backend count. */
export interface CountWay {
  /** The backend itself, or its tokenizer over its own template (which sees no images). */
  readonly by: 'backend' | 'tokenizer';
  /** Undefined where there was no count to be had. */
  count(request: WireRequest, ask: Ask): Promise<number | undefined>;
}

const tokens = z.number().int().nonnegative();
const inputTokens = z.object({ input_tokens: tokens }).transform((body) => body.input_tokens);
const totalTokens = z.object({ totalTokens: tokens }).transform((body) => body.totalTokens);
const counted = z.object({ count: tokens }).transform((body) => body.count);
const prompted = z.object({ prompt: z.string() }).transform((body) => body.prompt);
const listed = z.object({ tokens: z.array(z.unknown()) }).transform((body) => body.tokens.length);

/** Anthropic's own endpoint, which llama.cpp, vLLM and others serve as well. */
const asAnthropic: CountWay = {
  by: 'backend',
  count: (request, ask) =>
    askFor(ask, { path: countTokensPath, body: encodeCountTokensRequest(request) }, inputTokens),
};

const asResponses: CountWay = {
  by: 'backend',
  count(request, ask) {
    const body = pick(wires['openai-responses'].encodeRequest(request), [
      'model',
      'input',
      'instructions',
      'tools',
    ]);
    return askFor(ask, { path: '/v1/responses/input_tokens', body }, inputTokens);
  },
};

const asGemini: CountWay = {
  by: 'backend',
  count(request, ask) {
    const path = replyPath(wires.gemini, { model: request.model, stream: false });
    const model = request.model.includes('/') ? request.model : `models/${request.model}`;
    const body = { generateContentRequest: { model, ...wires.gemini.encodeRequest(request) } };
    const countPath = path.replace(/:generateContent$/, ':countTokens');
    return askFor(ask, { path: countPath, body }, totalTokens);
  },
};

/** llama.cpp before it had the endpoint: its template makes the prompt, its tokenizer counts it. */
const byTemplate: CountWay = {
  by: 'tokenizer',
  async count(request, ask) {
    const chat = wires['openai-chat'].encodeRequest(request);
    const content = await askFor(ask, { path: '/apply-template', body: chat }, prompted);
    if (content === undefined) return undefined;
    const body = { content, add_special: true, parse_special: true };
    return askFor(ask, { path: '/tokenize', body }, listed);
  },
};

/** vLLM: its tokenizer takes messages. */
const byMessages: CountWay = {
  by: 'tokenizer',
  count(request, ask) {
    const body = pick(wires['openai-chat'].encodeRequest(request), ['model', 'messages', 'tools']);
    return askFor(ask, { path: '/tokenize', body }, counted);
  },
};

/** By what the backend speaks, the best first. */
export const countWays: Readonly<Record<Wire['name'], readonly CountWay[]>> = {
  'openai-chat': [asAnthropic, byTemplate, byMessages],
  'openai-responses': [asResponses, asAnthropic, byTemplate, byMessages],
  'anthropic-messages': [asAnthropic],
  gemini: [asGemini],
  ollama: [asAnthropic],
};

/** What the schema reads of the answer; undefined for an error, another shape, or no answer. */
async function askFor<T>(
  ask: Ask,
  { path, body }: { readonly path: string; readonly body: JsonObject },
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  try {
    const answer = await ask(path, body);
    return answer.status === 200 ? schema.safeParse(JSON.parse(answer.body)).data : undefined;
  } catch {
    return undefined; // No answer, or none in JSON: the next way, and in the end the estimate.
  }
}

function pick(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}
