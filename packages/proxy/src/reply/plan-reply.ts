import type { IncomingHttpHeaders } from 'node:http';
import {
  externalTool,
  freshProgress,
  isJsonObject,
  type Progress,
  progressFromHistory,
  type Tool,
} from '@forge/core';
import { ModelError, replayReasoning, type Wire, type WireRequest } from '@forge/models';
import type { Ask } from '../ladder/ask.ts';
import { climb } from '../ladder/climb.ts';
import type { ProxySettings } from '../proxy-settings.ts';
import { type Peek, peekRequest } from '../request/peek-request.ts';
import type { ToolSets } from '../request/tool-sets.ts';
import { mergeProgress } from '../sessions/merge-progress.ts';
import { respondTool } from '../turn/respond-tool.ts';
import { asksForSeveral, guardFor, noRules, type Rules } from '../turn/rules.ts';
import type { TurnOptions } from '../turn/turn.ts';
import type { CleanReply } from './clean-chat.ts';
import { requestFor } from './for-wire.ts';
import { historyOf, openingOf } from './history-of.ts';
import { mayHaveCalls } from './may-have-calls.ts';
import { mayRepeat } from './repeats-itself.ts';
import { replaceSpan } from './replace-span.ts';

const wanted: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'toolConfig',
  'tool_config',
  'parallel_tool_calls',
  'response_format',
  'text',
  'output_format',
  'output_config',
  'format',
  'generationConfig',
  'generation_config',
  'n',
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'stream_options',
  'temperature',
  'metadata',
  'litellm_session_id',
]);

/** What a client wants, read off its bytes as far as needed, and how it will be asked for. */
export interface ReplyPlan {
  readonly wire: Wire;
  readonly model: string;
  readonly stream: boolean;
  readonly rules: Rules;
  readonly toolCount: number;
  readonly peek: Peek;
  /** The request as no particular wire has it. Read when it is first asked for. */
  readonly request: () => WireRequest;
  readonly path: string;
  readonly body: Buffer | string;
  /** The client's own bytes go to a backend of its own wire, but perhaps for the model's name. */
  readonly isRaw: boolean;
  readonly holdsAll: boolean;
  readonly wantsUsage: boolean;
  readonly first: Pick<Ask, 'rung' | 'read'>;
  readonly climb: TurnOptions['climb'];
  /** What was established before, given what the session remembers. */
  readonly progress: (stored: Progress | undefined) => Progress;
  /** What does not change in a conversation: its instructions and the first thing said. */
  readonly opening: () => string;
  /** Whether calls may repeat what the history shows, as far as its bytes tell. */
  readonly mayRepeat: (calls: CleanReply['calls']) => boolean;
}

export interface PlanInput {
  readonly wire: Wire;
  /** The path of the request with its query. */
  readonly path: string;
  readonly hints?: { readonly model: string; readonly stream: boolean } | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Throws `ModelError('bad_request')` for what no model could be asked. */
export function planReply(
  { settings, toolSets }: { readonly settings: ProxySettings; readonly toolSets: ToolSets },
  input: PlanInput,
): ReplyPlan {
  const { wire, hints, bytes } = input;
  const { backend, guard: guardSettings, advise } = settings;
  const peek = peekRequest(bytes, wanted, (key, start) =>
    key === 'tools' ? toolSets.skipKnown(bytes, start) : undefined,
  );
  if (peek === undefined) {
    throw new ModelError({
      kind: 'bad_request',
      message: 'The body of the request is not a JSON object.',
    });
  }
  let decoded: WireRequest | undefined;
  const request = () => {
    decoded ??= decode({ ...input, peek }, settings);
    return decoded;
  };
  const model = backend.model ?? (textValue(peek, 'model') || (hints?.model ?? ''));
  const stream = readStream(wire, peek, hints);
  const { rules, tools } = readRules({ settings, toolSets, wire, bytes, peek, request });
  const advice = advise(model);
  const ladder = {
    policy: guardSettings.constrain ?? 'on-retry',
    tools: backend.tools ?? advice.mode,
    backendWire: backend.wire.name,
    advice,
  };
  const climbFrom = (refusals: Parameters<TurnOptions['climb']>[0]) =>
    climb({ ...ladder, request: requestFor(backend.wire, wire, request()), refusals });
  const isPlain =
    tools.length === 0 ||
    (ladder.tools === 'native' && !rules.respondTool && ladder.policy !== 'always');
  const isRaw =
    wire.name === backend.wire.name && isPlain && guardSettings.reasoningReplay === 'as_sent';
  const span = peek.span('model');
  const renamed = backend.model !== undefined && wire.name !== 'gemini';
  const canRename = !renamed || span !== undefined;
  const common = {
    wire,
    model,
    stream,
    rules,
    toolCount: tools.length,
    peek,
    request,
    holdsAll: holdsAll(rules),
    wantsUsage: wantsUsage(wire, peek),
    climb: climbFrom,
    progress: (stored: Progress | undefined) => {
      const { guard } = rules;
      const read =
        guard !== undefined && mayHaveCalls(bytes, peek)
          ? progressFromHistory(guard, historyOf(wire, peek))
          : freshProgress;
      return stored === undefined ? read : mergeProgress(stored, read);
    },
    opening: () => openingOf(bytes, peek),
    mayRepeat: (calls: CleanReply['calls']) => mayRepeat(wire, { bytes, peek, calls }),
  };
  if (isRaw && canRename) {
    return {
      ...common,
      isRaw: true,
      path: rawPath(input, backend.model),
      body:
        renamed && span !== undefined
          ? replaceSpan(bytes, span, JSON.stringify(backend.model))
          : bytes,
      first: asIs,
    };
  }
  const ask = climbFrom([]);
  return {
    ...common,
    isRaw: false,
    path: backend.wire.path(ask.request),
    body: JSON.stringify(backend.wire.encodeRequest(ask.request)),
    first: ask,
  };
}

const asIs: Pick<Ask, 'rung' | 'read'> = { rung: 'native', read: (reply) => reply };

function decode(
  { wire, bytes, hints }: PlanInput & { readonly peek: Peek },
  { backend, guard }: ProxySettings,
): WireRequest {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new ModelError(
      { kind: 'bad_request', message: 'The body of the request is not valid JSON.' },
      { cause },
    );
  }
  const read = wire.decodeRequest(body, hints);
  const { reasoningReplay = 'as_sent' } = guard;
  const offered = guard.respondTool && read.tools.length > 0 ? addRespond(read.tools) : read.tools;
  return {
    ...read,
    tools: offered,
    ...(backend.model !== undefined && { model: backend.model }),
    ...(reasoningReplay !== 'as_sent' && {
      messages: replayReasoning(read.messages, reasoningReplay),
    }),
  };
}

function addRespond(tools: WireRequest['tools']): WireRequest['tools'] {
  return tools.some(({ name }) => name === respondTool.name) ? tools : [...tools, respondTool];
}

function readRules({
  settings,
  toolSets,
  wire,
  bytes,
  peek,
  request,
}: {
  readonly settings: ProxySettings;
  readonly toolSets: ToolSets;
  readonly wire: Wire;
  readonly bytes: Buffer;
  readonly peek: Peek;
  readonly request: () => WireRequest;
}): { readonly rules: Rules; readonly tools: readonly unknown[] } {
  const offered = spanOf(peek, bytes, 'tools') ?? spanOf(peek, bytes, 'functions');
  const hasFormat = formatKeys.some((key) => spanOf(peek, bytes, key) !== undefined);
  if (offered === undefined && !hasFormat) return { rules: noRules, tools: [] };
  if (peek.span('n') !== undefined || peek.span('generationConfig') !== undefined) {
    if (asksForSeveral(request())) return { rules: noRules, tools: [] };
  }
  const format = hasFormat ? request().responseFormat : undefined;
  if (offered === undefined) return { rules: { ...noRules, format }, tools: [] };
  const set = toolSets.get(wire, bytes, offered);
  const responds = settings.guard.respondTool === true && !set.specs.some(isRespond);
  if (set.tools.length === 0) return { rules: { ...noRules, format }, tools: [] };
  const guard = set.guard(choiceKey(peek, bytes), (tools) =>
    guardFor(withOthers(tools, set.others, responds), request().toolChoice, settings.guard),
  );
  const oneCall = guard !== undefined && allowsOneCall(wire, peek);
  return { rules: { guard, oneCall, format, respondTool: responds }, tools: set.tools };
}

/** What has no schema of ours may still be called: whatever comes is the client's to judge. */
function withOthers(
  tools: readonly Tool[],
  others: ReadonlySet<string>,
  responds: boolean,
): readonly Tool[] {
  const more = Array.from(others, (name) =>
    externalTool({ name, description: '', inputSchema: { type: 'object' } }),
  );
  return [...tools, ...more, ...(responds ? [externalTool(respondTool)] : [])];
}

function isRespond({ name }: { readonly name: string }): boolean {
  return name === respondTool.name;
}

const choiceKeys = ['tool_choice', 'function_call', 'toolConfig', 'tool_config'] as const;

/** The bytes of the choice. One longer than any choice is, is no key. */
function choiceKey(peek: Peek, bytes: Buffer): string {
  for (const key of choiceKeys) {
    const span = peek.span(key);
    if (span !== undefined) return bytes.toString('latin1', span[0], span[1]);
  }
  return '';
}

function allowsOneCall(wire: Wire, peek: Peek): boolean {
  if (wire.name !== 'anthropic-messages') return peek.value('parallel_tool_calls') === false;
  const choice = peek.value('tool_choice');
  return isJsonObject(choice) && choice.disable_parallel_tool_use === true;
}

const formatKeys = [
  'response_format',
  'text',
  'output_format',
  'output_config',
  'format',
  'generationConfig',
  'generation_config',
] as const;

/** The span of a value that says something: not null, nor an empty list. */
function spanOf(peek: Peek, bytes: Buffer, key: string): readonly [number, number] | undefined {
  const span = peek.span(key);
  if (span === undefined) return undefined;
  const [start, end] = span;
  if (end - start > 16) return span;
  const said = bytes.toString('latin1', start, end).replace(/\s/g, '');
  return said === 'null' || said === '[]' || said === '{}' ? undefined : span;
}

function textValue(peek: Peek, key: string): string {
  const value = peek.value(key);
  return typeof value === 'string' ? value : '';
}

/** Ollama streams unless told otherwise; Gemini says it in the path. */
function readStream(wire: Wire, peek: Peek, hints: PlanInput['hints']): boolean {
  if (hints !== undefined) return hints.stream;
  const stream = peek.value('stream');
  return wire.name === 'ollama' ? stream !== false : stream === true;
}

function wantsUsage(wire: Wire, peek: Peek): boolean {
  if (wire.name !== 'openai-chat') return true;
  const options = peek.value('stream_options');
  return isJsonObject(options) && options.include_usage === true;
}

/** Where plain text may turn out to be no good, none of it may go out before that is known. */
function holdsAll({ guard, format, respondTool }: Rules): boolean {
  if (format !== undefined || respondTool) return true;
  if (guard === undefined) return false;
  const { toolChoice, requiredSteps, terminalTools } = guard;
  const wantsCall = toolChoice === 'required' || typeof toolChoice === 'object';
  return wantsCall || requiredSteps.length > 0 || terminalTools.length > 0;
}

/** Gemini's path names the model. */
function rawPath({ wire, path, hints }: PlanInput, model: string | undefined): string {
  if (wire.name === 'gemini' && hints !== undefined && model !== undefined) {
    return wire.path({ model, stream: hints.stream });
  }
  return path;
}
