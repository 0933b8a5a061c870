import { type FinishReason, isJsonObject, type JsonObject, type Usage } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import { sameJson } from '../shared/same-json.ts';
import { givenId } from './made-up-ids.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { responseBody } from './schemas.ts';
import { decodeUsage, encodeUsage, saysMore } from './usage.ts';

/** Fields clients expect on every response; what equals them is not worth keeping. */
const defaults: JsonObject = {
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
};

/** A response object without its output: what the wire says about the reply as a whole. */
export interface ResponseHead {
  readonly id?: string;
  readonly model?: string;
  readonly output: readonly JsonObject[];
  readonly status: string | undefined;
  readonly error: JsonObject | undefined;
  readonly incompleteReason: string | undefined;
  readonly usage?: Usage;
  readonly extra: JsonObject;
}

export function readResponse(body: unknown, at: string): ResponseHead {
  const kind: DecodeContext['kind'] = 'bad_response';
  const { known, rest } = readKnown({ schema: responseBody, body, at, kind });
  const id = givenId(known.id);
  const reason = known.incomplete_details?.reason;
  const usage = known.usage === undefined ? undefined : decodeUsage(known.usage, kind);
  const fuller = known.usage !== undefined && usage !== undefined && saysMore(known.usage, usage);
  return {
    ...(id !== undefined && { id }),
    ...(known.model !== undefined && known.model !== '' && { model: known.model }),
    output: known.output ?? [],
    status: known.status,
    error: known.error,
    incompleteReason: typeof reason === 'string' ? reason : undefined,
    ...(usage !== undefined && { usage }),
    extra: {
      ...withoutEqual(rest, defaults),
      ...(fuller && known.usage !== undefined ? { usage: known.usage } : {}),
      ...unusualEnd(known.status, known.incomplete_details),
    },
  };
}

/** The finish of a response that did not fail. */
export function finishOf(head: ResponseHead, hasCalls: boolean): FinishReason {
  switch (head.status) {
    case undefined:
    case 'completed':
      return hasCalls ? 'tool_calls' : 'stop';
    case 'incomplete':
      return incompleteFinish.get(head.incompleteReason) ?? 'other';
    default:
      return 'other';
  }
}

const incompleteFinish: ReadonlyMap<unknown, FinishReason> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
]);

/** The whole response object of a reply that is done. */
export function responseObject(options: {
  readonly id: string;
  readonly model: string | undefined;
  readonly createdAt: number;
  readonly output: readonly JsonObject[];
  readonly ending: Ending;
  readonly usage: Usage | undefined;
  readonly extra: JsonObject;
}): JsonObject {
  const { id, model = '', createdAt, output, ending, usage, extra } = options;
  const rodeAlong = isJsonObject(extra.usage) ? extra.usage : {};
  return {
    created_at: createdAt,
    ...defaults,
    ...extra,
    id,
    object: 'response',
    model,
    output,
    usage: usage === undefined ? null : encodeUsage(usage, rodeAlong),
    ...endingFields(ending, extra),
  };
}

export type Ending =
  | { readonly type: 'running' }
  | { readonly type: 'finished'; readonly finish: FinishReason }
  | { readonly type: 'failed'; readonly error: JsonObject };

function endingFields(ending: Ending, extra: JsonObject): JsonObject {
  switch (ending.type) {
    case 'running':
      return { status: 'in_progress', error: null, incomplete_details: null };
    case 'failed':
      return { status: 'failed', error: ending.error, incomplete_details: null };
    case 'finished':
      return { error: null, ...finishedFields(ending.finish, extra) };
    default:
      return ending satisfies never;
  }
}

function finishedFields(finish: FinishReason, extra: JsonObject): JsonObject {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
      return { status: 'completed', incomplete_details: null };
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content_filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'other':
      return {
        status: extra.status ?? 'incomplete',
        incomplete_details: extra.incomplete_details ?? null,
      };
    default:
      return finish satisfies never;
  }
}

/** An end that `FinishReason` only knows as `other`, in the wire's own words. */
function unusualEnd(status: string | undefined, details: JsonObject | undefined): JsonObject {
  const reason = details?.reason;
  if (status === undefined || status === 'completed' || status === 'failed') return {};
  if (status !== 'incomplete') return { status };
  return incompleteFinish.has(reason) || details === undefined
    ? {}
    : { incomplete_details: details };
}

/** The fields of `value` that differ from those of `other`. */
export function withoutEqual(value: JsonObject, other: JsonObject): JsonObject {
  const equal = Object.keys(value).filter(
    (name) => Object.hasOwn(other, name) && sameJson(value[name], other[name]),
  );
  return without(value, equal);
}
