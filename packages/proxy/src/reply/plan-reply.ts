import { freshProgress, isJsonObject, type Progress, progressFromHistory } from '@forge/core';
import {
  ModelError,
  replayReasoning,
  type Wire,
  type WireRequest,
  withSmallBounds,
} from '@forge/models';
import type { Ask } from '../ladder/ask.ts';
import { climb } from '../ladder/climb.ts';
import type { ProxyContext } from '../proxy-context.ts';
import type { ProxySettings } from '../proxy-settings.ts';
import { type Peek, peekRequest } from '../request/peek-request.ts';
import { mergeProgress } from '../sessions/merge-progress.ts';
import { addRespond } from '../turn/respond-tool.ts';
import type { Rules } from '../turn/rules.ts';
import type { TurnOptions } from '../turn/turn.ts';
import { replyPath } from '../upstream/backend-paths.ts';
import type { CleanReply } from './clean-chat.ts';
import { requestFor } from './for-wire.ts';
import { historyOf, openingOf } from './history-of.ts';
import { mayHaveCalls } from './may-have-calls.ts';
import { holdsAll, readRules } from './read-rules.ts';
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
  readonly path: string;
  readonly body: Buffer | string;
  /** The client's own bytes go to a backend of its own wire, but perhaps for the model's name. */
  readonly isRaw: boolean;
  /** The backend is sent no large bounds. */
  readonly hasSmallBounds: boolean;
  readonly holdsAll: boolean;
  /** The client reads a stream as one JSON list: Gemini's, unless it asks for events. */
  readonly readsList: boolean;
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
  readonly bytes: Buffer;
}

/** Throws `ModelError('bad_request')` for what no model could be asked. */
export function planReply(
  { settings, toolSets, bounds }: Pick<ProxyContext, 'settings' | 'toolSets' | 'bounds'>,
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
  /** The request as no particular wire has it, read when it is first asked for. */
  let decoded: WireRequest | undefined;
  const request = () => {
    decoded ??= decode(input, settings);
    return decoded;
  };
  const hasSmallBounds = bounds.areSmall;
  const sent = () => (hasSmallBounds ? withSmallBounds(request()) : request());
  const model = backend.model ?? (textValue(peek, 'model') || (hints?.model ?? ''));
  const stream = readStream(wire, peek, hints);
  const { rules, tools } = readRules({ settings, toolSets, wire, bytes, peek, request });
  const advice = advise(model);
  const ladder = {
    policy: guardSettings.constrain ?? 'on-retry',
    tools: backend.tools ?? advice.mode,
    advice,
  };
  const climbFrom: TurnOptions['climb'] = (refusals, { shapes }) =>
    climb({
      ...ladder,
      ...(!shapes && { policy: 'off' }),
      request: requestFor(backend.wire, wire, sent()),
      refusals,
    });
  const isPlain =
    tools.length === 0 ||
    (ladder.tools === 'native' && !rules.respondTool && ladder.policy !== 'always');
  const readsList = stream && wire.name === 'gemini' && !asksForEvents.test(input.path);
  const isJudged = rules.guard !== undefined || rules.format !== undefined;
  const isRaw =
    wire.name === backend.wire.name &&
    isPlain &&
    (!hasSmallBounds || sent() === request()) &&
    guardSettings.reasoningReplay === 'as_sent' &&
    !(readsList && isJudged);
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
    hasSmallBounds,
    holdsAll: holdsAll(rules),
    readsList,
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
  const ask = climbFrom([], { shapes: true });
  return {
    ...common,
    isRaw: false,
    // What is held to a shape means something else than it says.
    holdsAll: common.holdsAll || ask.rung === 'constrained',
    path: replyPath(backend.wire, ask.request),
    body: JSON.stringify(backend.wire.encodeRequest(ask.request)),
    first: ask,
  };
}

const asIs: Pick<Ask, 'rung' | 'read'> = { rung: 'native', read: (reply) => reply };

function decode({ wire, bytes, hints }: PlanInput, { backend, guard }: ProxySettings): WireRequest {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new ModelError(
      { kind: 'bad_request', message: 'The body of the request is not valid JSON.' },
      { cause },
    );
  }
  // A client may leave out the name of a model that is not its to choose.
  const named =
    backend.model !== undefined && wire.name !== 'gemini' && isJsonObject(body)
      ? { ...body, model: backend.model }
      : body;
  const read = wire.decodeRequest(named, hints);
  const { reasoningReplay = 'as_sent' } = guard;
  return {
    ...read,
    tools: guard.respondTool ? addRespond(read) : read.tools,
    ...(backend.model !== undefined && { model: backend.model }),
    ...(reasoningReplay !== 'as_sent' && {
      messages: replayReasoning(read.messages, reasoningReplay),
    }),
  };
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

/** What a client of Gemini's says in the query of a stream it reads as events. */
const asksForEvents = /[?&](?:\$|%24)?alt=sse(?:&|$)/;

/** Gemini's path names the model; its query says how the reply is read, and may hold the key. */
function rawPath({ wire, path, hints }: PlanInput, model: string | undefined): string {
  if (wire.name !== 'gemini' || hints === undefined || model === undefined) return path;
  const [renamed = ''] = replyPath(wire, { model, stream: hints.stream }).split('?', 1);
  const query = path.indexOf('?');
  return query === -1 ? renamed : renamed + path.slice(query);
}
