import { isJsonObject, type JsonObject } from '@forge/core';
import { isEmpty, objectOf } from '../shared/json-fields.ts';
import type { Frame, StreamDecoder, StreamEvent } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import { isNothing, reasoningOf, refusalPart } from './assistant.ts';
import {
  type Chunk,
  changedFields,
  choiceRestOf,
  chunkShape,
  restOf,
  usageElsewhere,
} from './chunk.ts';
import { decodeContent } from './content.ts';
import { defaultDialect } from './dialect.ts';
import { readError } from './error-body.ts';
import { toWireError } from './error-kind.ts';
import { decodeFinish } from './finish.ts';
import { encodeImage } from './image.ts';
import { type PlainDelta, readPlainDelta } from './plain-delta.ts';
import { createReasoningDetails } from './reasoning-details.ts';
import { createReplyIds } from './reply.ts';
import { type Said, saidShape, type WireCall } from './shapes.ts';
import { createStreamCalls, type StreamCalls } from './stream-calls.ts';
import { isForeignCall } from './tool-call.ts';
import { decodeUsage } from './usage.ts';

const knownSaid: ReadonlySet<string> = new Set([
  ...Object.keys(saidShape.shape),
  'reasoning_details',
]);

/**
 * The first choice of a stream. `finish` waits for `[DONE]` or the end of the bytes, since usage
 * comes after the finish reason. Nothing follows a `finish` or an `error`.
 */
export function createStreamDecoder(): StreamDecoder {
  let start: JsonObject | undefined;
  let calls: StreamCalls = createStreamCalls(createReplyIds(undefined));
  const details = createReasoningDetails();
  let reason: string | undefined;
  let usage: unknown;
  let choiceRest: JsonObject = {};
  let chunkRest: JsonObject = {};
  let hasContent = false;
  let isRefusing = false;
  let isOver = false;

  function fail(error: WireError): StreamEvent[] {
    isOver = true;
    return [{ type: 'error', error }];
  }

  function unreadable(what: string, data: string): StreamEvent[] {
    return fail({
      kind: 'bad_response',
      message: `The stream has a chunk that ${what}.`,
      body: data.slice(0, 2000),
    });
  }

  function begin(chunk: Chunk): StreamEvent[] {
    const { id, model } = chunk;
    calls = createStreamCalls(createReplyIds(id));
    start = restOf(chunk);
    return [{ type: 'start', ...(id ? { id } : {}), ...(model ? { model } : {}), extra: start }];
  }

  function plain({ reasoning, content, call }: PlainDelta): StreamEvent[] {
    const events: StreamEvent[] = [];
    if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
    if (content !== '') events.push(words(content));
    if (call !== undefined) for (const event of calls.push(call)) events.push(event);
    hasContent ||= events.length > 0;
    return events;
  }

  function called(call: WireCall): readonly StreamEvent[] {
    if (!isForeignCall(call)) return calls.push(call);
    return [{ type: 'opaque', value: { tool_calls: [objectOf(call)] } }];
  }

  function said(delta: Said): StreamEvent[] {
    const events: StreamEvent[] = [];
    const thought = reasoningOf(delta);
    if (thought !== '') events.push({ type: 'reasoning', text: thought });
    if (typeof delta.content === 'string') {
      if (delta.content !== '') events.push(words(delta.content));
    } else if (delta.content) {
      events.push(...decodeContent(delta.content).map(contentEvent));
    }
    if (delta.refusal) events.push(refused(delta.refusal));
    if (delta.tool_calls) for (const call of delta.tool_calls) events.push(...called(call));
    if (delta.function_call) events.push(...calls.push({ function: delta.function_call }));
    for (const key in delta) {
      if (knownSaid.has(key)) continue;
      const value = objectOf(delta)[key];
      if (value !== undefined && !isNothing(value)) {
        events.push({ type: 'opaque', value: { [key]: value } });
      }
    }
    details.push(delta.reasoning_details);
    hasContent ||= events.length > 0;
    return events;
  }

  /** What follows a refusal is no part of it. */
  function words(text: string): StreamEvent {
    if (!isRefusing) return { type: 'text', text };
    isRefusing = false;
    return { type: 'text', text, provider: {} };
  }

  /** The first piece of a refusal begins a text of its own. */
  function refused(text: string): StreamEvent {
    const { provider } = refusalPart(text);
    const isFirst = !isRefusing;
    isRefusing = true;
    return { type: 'text', text, ...(isFirst && provider && { provider }) };
  }

  function read(chunk: Chunk): StreamEvent[] {
    const events = start === undefined ? begin(chunk) : [];
    const choice = chunk.choices?.find(({ index }) => !index);
    // A server that ends with the whole message repeats what it has streamed.
    const delta = choice?.delta ?? (hasContent ? undefined : choice?.message);
    if (delta) events.push(...said(delta));
    const told = chunk.usage ?? usageElsewhere(chunk, choice);
    if (told !== undefined) usage = told;
    if (choice?.finish_reason) {
      reason = choice.finish_reason;
      choiceRest = { ...choiceRest, ...choiceRestOf(choice) };
    }
    if (choice?.finish_reason || told !== undefined) {
      chunkRest = { ...chunkRest, ...changedFields(restOf(chunk), start ?? {}) };
    }
    return events;
  }

  function finish(): StreamEvent[] {
    isOver = true;
    const last = calls.end();
    const { finish: meaning, raw } = decodeFinish(reason, calls.count > 0);
    const counted = decodeUsage(usage);
    const kept = details.value();
    return [
      ...(start === undefined ? [{ type: 'start', extra: {} } as const] : []),
      ...last,
      ...(kept === undefined ? [] : [{ type: 'opaque', value: kept } as const]),
      {
        type: 'finish',
        finish: meaning,
        ...(counted.usage === undefined ? {} : { usage: counted.usage }),
        ...(counted.cost === undefined ? {} : { cost: counted.cost }),
        extra: {
          ...chunkRest,
          ...(raw === undefined ? {} : { finish_reason: raw }),
          ...(isEmpty(choiceRest) ? {} : { choice: choiceRest }),
          ...(counted.rest === undefined ? {} : { usage: counted.rest }),
        },
      },
    ];
  }

  return {
    push(frame: Frame) {
      const { data } = frame;
      if (isOver || data === '') return [];
      if (data === '[DONE]') return finish();
      let parsed: unknown;
      try {
        parsed = JSON.parse(data);
      } catch {
        return unreadable('is not JSON', data);
      }
      const failure =
        frame.event === 'error' ? (readError(parsed) ?? unnamedFailure) : readError(parsed);
      if (failure !== undefined) return fail(toWireError(failure, { body: data }));
      const quick = start === undefined ? undefined : readPlainDelta(parsed);
      if (quick !== undefined) return plain(quick);
      const chunk = chunkShape.safeParse(parsed);
      return chunk.success ? read(chunk.data) : unreadable('is none of chat completions', data);
    },
    end() {
      if (isOver) return [];
      if (reason !== undefined) return finish();
      return fail({
        kind: 'bad_response',
        message: 'The stream stopped in the middle of the reply.',
      });
    },
  };
}

const unnamedFailure = { message: '', words: [] };

function contentEvent(part: ReturnType<typeof decodeContent>[number]): StreamEvent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'opaque', value: encodeImage(part, defaultDialect) };
    case 'opaque':
      return {
        type: 'opaque',
        value: isJsonObject(part.value) ? part.value : { value: part.value },
      };
    default:
      return part satisfies never;
  }
}
