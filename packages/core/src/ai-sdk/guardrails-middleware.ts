import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Middleware,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { createGuard, type Guard, type GuardOptions } from '../guardrails/create-guard.ts';
import { judgeReply } from '../guardrails/judge-reply.ts';
import { noteRefusal, type Progress } from '../guardrails/progress.ts';
import { progressFromHistory } from '../guardrails/progress-from-history.ts';
import type { Verdict } from '../guardrails/verdict.ts';
import { createSchemaCache } from '../schema/schema-cache.ts';
import { externalTool } from '../tools/external-tool.ts';
import {
  historyFromAiSdk,
  replyFromAiSdk,
  toolChoiceFromAiSdk,
  toolsFromAiSdk,
} from './from-ai-sdk.ts';
import { streamGuarded } from './stream-guarded.ts';
import { contentFromMessage, isClientCall, promptFromMessages } from './to-ai-sdk.ts';

export type GuardrailsMiddlewareOptions = Omit<GuardOptions, 'tools' | 'toolChoice'>;

/** A model call as the middleware sees it. */
export interface GuardedCall {
  readonly guard: Guard;
  readonly params: LanguageModelV4CallOptions;
  readonly model: LanguageModelV4;
}

/**
 * Forge's guardrails for a Vercel AI SDK model. Calls are rescued, checked and mended, and a
 * reply that is no good is asked for again, before the SDK sees it; steps and loops are read
 * off the prompt, so one middleware serves many conversations. When the retries are spent, the
 * last reply is handed on as it came. What was done is in `providerMetadata.forge`.
 *
 * @example
 * const model = wrapLanguageModel({ model: ollama('qwen3:8b'), middleware: guardrailsMiddleware() });
 */
export function guardrailsMiddleware(
  options: GuardrailsMiddlewareOptions = {},
): LanguageModelV4Middleware {
  const schemas = createSchemaCache({ max: 1_000 });
  const guardFor = (params: LanguageModelV4CallOptions): Guard => {
    const specs = toolsFromAiSdk(params.tools);
    const known = (name: string) => specs.some((spec) => spec.name === name);
    return createGuard({
      ...options,
      // A request offers the tools of its step: rules about others are not for it.
      requiredSteps: options.requiredSteps?.filter(known),
      terminalTools: options.terminalTools?.filter(known),
      tools: specs.map((spec) => externalTool(spec, (schema) => schemas.get(schema))),
      toolChoice: toolChoiceFromAiSdk(params.toolChoice),
    });
  };
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params, model }) {
      const first = await doGenerate();
      const guard = guardFor(params);
      if (guard.specs.length === 0) return first;
      return settle({ guard, params, model }, first);
    },
    async wrapStream({ doStream, params, model }) {
      const guard = guardFor(params);
      const streamed = await doStream();
      if (guard.specs.length === 0) return streamed;
      return { ...streamed, stream: streamGuarded({ guard, params, model }, streamed.stream) };
    },
  };
}

/**
 * Judges a reply and asks again, with nudges, until it is good or the retries are spent. The
 * result to hand on says in `providerMetadata.forge` what was done to it.
 */
export async function settle(
  { guard, params, model }: GuardedCall,
  first: LanguageModelV4GenerateResult,
): Promise<LanguageModelV4GenerateResult> {
  let progress: Progress = progressFromHistory(guard, historyFromAiSdk(params.prompt));
  let { prompt } = params;
  let result = first;
  let { usage } = first;
  const problems: JSONObject[] = [];
  for (let attempt = 1; ; attempt++) {
    const reply = replyFromAiSdk(result);
    const verdict = isForeign(result.content)
      ? foreign
      : judgeReply(guard, progress, reply, `call_${prompt.length}_${attempt}`);
    if (verdict.kind !== 'retry' && verdict.kind !== 'blocked') {
      if (verdict.kind === 'fatal') problems.push({ attempt, kind: verdict.reason });
      return handOn({ ...result, usage }, verdict, attempt, problems);
    }
    problems.push(...verdict.problems.map(({ kind }) => ({ attempt, kind })));
    progress = noteRefusal(progress, verdict.drain);
    prompt = [...prompt, ...promptFromMessages([verdict.message, ...verdict.nudges])];
    result = await model.doGenerate({ ...params, prompt });
    usage = addUsage(usage, result.usage);
  }
}

/** Nothing here is for guardrails to judge: a file, or the provider's own tools at work. */
const foreign: Verdict = {
  kind: 'answer',
  message: { role: 'assistant', content: [] },
  text: '',
  source: 'text',
  mended: [],
};

function isForeign(content: LanguageModelV4GenerateResult['content']): boolean {
  const judged = content.some(
    (part) => (part.type === 'text' && part.text.trim() !== '') || isClientCall(part),
  );
  return !judged && content.some((part) => !['text', 'reasoning', 'source'].includes(part.type));
}

function handOn(
  result: LanguageModelV4GenerateResult,
  verdict: Verdict,
  attempts: number,
  problems: JSONObject[],
): LanguageModelV4GenerateResult {
  const clean = isClean(verdict, result);
  if (clean && attempts === 1) return result;
  const forge: JSONObject = { outcome: verdict.kind, attempts, problems };
  if (verdict.kind === 'execute') {
    forge.source = verdict.source;
    forge.mended = verdict.mended.map(({ what }) => what);
  }
  return {
    ...result,
    content:
      clean || !('message' in verdict)
        ? result.content
        : contentFromMessage(verdict.message, result.content),
    finishReason:
      verdict.kind === 'execute'
        ? { ...result.finishReason, unified: 'tool-calls' }
        : result.finishReason,
    providerMetadata: { ...result.providerMetadata, forge },
  };
}

/** Nothing was changed, so the reply is handed on as it came. */
function isClean(verdict: Verdict, { content }: LanguageModelV4GenerateResult): boolean {
  switch (verdict.kind) {
    case 'execute':
      return (
        verdict.source === 'native' && verdict.mended.length === 0 && keepsIds(verdict, content)
      );
    case 'answer':
      return (
        verdict === foreign ||
        verdict.text === content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      );
    default:
      return false;
  }
}

/** Calls that came without an id, or with one twice, were given their own. */
function keepsIds(
  { calls }: Extract<Verdict, { kind: 'execute' }>,
  content: LanguageModelV4GenerateResult['content'],
): boolean {
  const given = new Set(content.map((part) => part.type === 'tool-call' && part.toolCallId));
  return calls.every(({ id }) => given.has(id));
}

/** Every try was paid for. */
function addUsage(a: LanguageModelV4Usage, b: LanguageModelV4Usage): LanguageModelV4Usage {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  return {
    inputTokens: {
      total: sum(a.inputTokens.total, b.inputTokens.total),
      noCache: sum(a.inputTokens.noCache, b.inputTokens.noCache),
      cacheRead: sum(a.inputTokens.cacheRead, b.inputTokens.cacheRead),
      cacheWrite: sum(a.inputTokens.cacheWrite, b.inputTokens.cacheWrite),
    },
    outputTokens: {
      total: sum(a.outputTokens.total, b.outputTokens.total),
      text: sum(a.outputTokens.text, b.outputTokens.text),
      reasoning: sum(a.outputTokens.reasoning, b.outputTokens.reasoning),
    },
  };
}
