import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import type { StreamEvent } from '../wire.ts';
import { createAssistantDecoder, isMessage } from './assistant-decoder.ts';
import { givenId, isMadeUp, makeUpId } from './made-up-ids.ts';
import { opaqueContent } from './opaque-part.ts';
import { fieldsOf, providerWith } from './provider-fields.ts';
import type { DecodeContext } from './read-known.ts';
import { partSeparator, takeApartReasoning } from './reasoning-item.ts';
import { sealReasoning } from './sealed-reasoning.ts';
import { decodeText } from './text-part.ts';

type TextKind = 'text' | 'reasoning';

/** How much of an item has been given on, by its parts. */
interface Progress {
  readonly given: Map<string, number>;
  callIndex?: number;
  /** What `provider` keeps of a message, once the wire has told it. */
  marks?: JsonObject;
  /** What of it has been given on, by the parts. */
  readonly told: Map<string, JsonObject>;
}

export interface OutputDecoder {
  /** Whether any item has come whole; if none did, the final response has to make up for it. */
  readonly sawWholeItems: boolean;
  readonly sawCalls: boolean;
  push(event: JsonObject, name: unknown): StreamEvent[];
  /** A whole item: whatever of it has not been given on yet. */
  done(item: JsonObject, outputIndex: JsonValue | undefined): StreamEvent[];
}

/** The events about output items. Unknown ones (progress of built-in tools, audio) say nothing. */
export function createOutputDecoder(context: DecodeContext): OutputDecoder {
  const assistant = createAssistantDecoder(context);
  const items = new Map<JsonValue | undefined, Progress>();
  let calls = 0;
  let wholeItems = 0;
  /** The item and its part whose text was the last thing given on. */
  let speaking: Progress | undefined;
  let spoken = '';

  function progressOf(outputIndex: JsonValue | undefined): Progress {
    let progress = items.get(outputIndex);
    if (progress === undefined) {
      progress = { given: new Map(), told: new Map() };
      items.set(outputIndex, progress);
    }
    return progress;
  }

  function delta(event: JsonObject, kind: TextKind, part: string): StreamEvent[] {
    return give({ progress: progressOf(event.output_index), part, kind, piece: event.delta });
  }

  /**
   * A piece of a text. A further paragraph of reasoning comes after a break; the first words of a
   * message, or of a part of one, bring what is known of it.
   */
  function give(options: {
    readonly progress: Progress;
    readonly part: string;
    readonly kind: TextKind;
    readonly piece: JsonValue | undefined;
  }): StreamEvent[] {
    const { progress, part, kind, piece } = options;
    if (typeof piece !== 'string' || piece === '') return [];
    const { given } = progress;
    const isFirst = !given.has(part);
    const opensFurther = isFirst && given.size > 0;
    const before = speaking;
    speaking = kind === 'text' ? progress : undefined;
    spoken = part;
    given.set(part, (given.get(part) ?? 0) + piece.length);
    if (kind === 'reasoning') {
      return [{ type: kind, text: opensFurther ? partSeparator + piece : piece }];
    }
    const marks = isFirst ? (progress.told.get(part) ?? marksOf(progress, part)) : {};
    if (isFirst) progress.told.set(part, marks);
    const isApart = isFirst && before !== undefined && before !== progress;
    return [{ type: kind, text: piece, ...(isApart && { provider: {} }), ...providerWith(marks) }];
  }

  function marksOf({ marks = {} }: Progress, part: string): JsonObject {
    return part === firstPart ? marks : { continues: true };
  }

  /** The end of a part: what is known of its text and has not been given on with its first words. */
  function settle(progress: Progress, index: number, raw: JsonObject): StreamEvent[] {
    const part = `content.${index}`;
    if (speaking !== progress || spoken !== part) return [];
    const whole = decodeText(raw, 'output_text', marksOf(progress, part));
    const known = whole === undefined ? {} : fieldsOf(whole);
    if (canonicalJson(known) === canonicalJson(progress.told.get(part) ?? {})) return [];
    progress.told.set(part, known);
    return [{ type: 'text', text: '', ...providerWith(known) }];
  }

  /** The end of a text that had no deltas, or fewer than it has words. */
  function rest(options: {
    readonly progress: Progress;
    readonly part: string;
    readonly kind: TextKind;
    readonly whole: JsonValue | undefined;
  }): StreamEvent[] {
    const { progress, part, kind, whole } = options;
    if (typeof whole !== 'string') return [];
    return give({ progress, part, kind, piece: whole.slice(progress.given.get(part) ?? 0) });
  }

  function open(item: JsonObject, outputIndex: JsonValue | undefined): StreamEvent[] {
    const progress = progressOf(outputIndex);
    if (isMessage(item)) progress.marks ??= assistant.messageMarks(without(item, ['status']));
    if (item.type !== 'function_call' || progress.callIndex !== undefined) return [];
    if (typeof item.name !== 'string') return [];
    progress.callIndex = calls;
    calls += 1;
    speaking = undefined;
    const callId = typeof item.call_id === 'string' ? item.call_id : givenId(item.id);
    return [
      {
        type: 'call',
        index: progress.callIndex,
        id: callId ?? makeUpId('call', context.newId()),
        name: item.name,
        ...assistant.callMarks(without(item, ['status'])),
      },
    ];
  }

  function args(outputIndex: JsonValue | undefined, piece: JsonValue | undefined): StreamEvent[] {
    const progress = items.get(outputIndex);
    if (progress?.callIndex === undefined || typeof piece !== 'string' || piece === '') return [];
    progress.given.set('args', (progress.given.get('args') ?? 0) + piece.length);
    return [{ type: 'args', index: progress.callIndex, text: piece }];
  }

  function restOfArgs(
    outputIndex: JsonValue | undefined,
    whole: JsonValue | undefined,
  ): StreamEvent[] {
    const text = isJsonObject(whole) ? JSON.stringify(whole) : whole;
    if (typeof text !== 'string') return [];
    return args(outputIndex, text.slice(items.get(outputIndex)?.given.get('args') ?? 0));
  }

  function reasoningDone(item: JsonObject, progress: Progress): StreamEvent[] {
    speaking = undefined;
    assistant.noteReasoning(item);
    const events = (['summary', 'content'] as const).flatMap((list) =>
      partsOf(item[list]).flatMap((raw, index) =>
        rest({ progress, part: `${list}.${index}`, kind: 'reasoning', whole: raw.text }),
      ),
    );
    // So that the proof of reasoning without words is not taken for that of the one before.
    if (progress.given.size === 0) events.push({ type: 'reasoning', text: '' });
    const { signature, shape } = takeApartReasoning(item);
    if (typeof item.id !== 'string' || !isMadeUp(item.id)) {
      const sealed = { shape, ...(signature !== undefined && { signature }) };
      events.push({ type: 'signature', signature: sealReasoning(sealed) });
    } else if (signature !== undefined) events.push({ type: 'signature', signature });
    return events;
  }

  function messageDone(item: JsonObject, progress: Progress): StreamEvent[] {
    progress.marks = assistant.messageMarks(item);
    const parts: readonly JsonObject[] =
      typeof item.content === 'string'
        ? [{ type: 'output_text', text: item.content }]
        : partsOf(item.content);
    return parts.flatMap((raw, index): StreamEvent[] => {
      const whole = raw.type === 'refusal' ? raw.refusal : raw.text;
      if (typeof whole === 'string') {
        const part = `content.${index}`;
        if (raw.type === 'refusal') refuses(progress, part);
        const words = rest({ progress, part, kind: 'text', whole });
        return [...words, ...settle(progress, index, raw)];
      }
      const { value } = opaqueContent(raw);
      return isJsonObject(value) ? [{ type: 'opaque', value }] : [];
    });
  }

  function refuses(progress: Progress, part: string): void {
    if (progress.told.has(part)) return;
    progress.told.set(part, { ...marksOf(progress, part), part: { type: 'refusal' } });
  }

  function partDone(event: JsonObject): StreamEvent[] {
    const { part, content_index: index } = event;
    if (!isJsonObject(part)) return [];
    const progress = progressOf(event.output_index);
    return settle(progress, typeof index === 'number' ? index : 0, part);
  }

  function done(item: JsonObject, outputIndex: JsonValue | undefined): StreamEvent[] {
    wholeItems += 1;
    const progress = progressOf(outputIndex);
    if (isMessage(item)) return messageDone(item, progress);
    if (item.type === 'reasoning') return reasoningDone(item, progress);
    if (item.type === 'function_call') {
      return [...open(item, outputIndex), ...restOfArgs(outputIndex, item.arguments)];
    }
    speaking = undefined;
    return [{ type: 'opaque', value: item }];
  }

  return {
    get sawWholeItems() {
      return wholeItems > 0;
    },
    get sawCalls() {
      return calls > 0;
    },
    done,
    push(event, name) {
      const { output_index: outputIndex } = event;
      switch (name) {
        case 'response.output_text.delta':
          return delta(event, 'text', partKey('content', event.content_index));
        case 'response.refusal.delta':
          refuses(progressOf(outputIndex), partKey('content', event.content_index));
          return delta(event, 'text', partKey('content', event.content_index));
        case 'response.content_part.done':
          return partDone(event);
        case 'response.function_call_arguments.delta':
          return args(outputIndex, event.delta);
        case 'response.reasoning_summary_text.delta':
          return delta(event, 'reasoning', partKey('summary', event.summary_index));
        case 'response.reasoning_text.delta':
          return delta(event, 'reasoning', partKey('content', event.content_index));
        case 'response.function_call_arguments.done':
          return restOfArgs(outputIndex, event.arguments);
        case 'response.output_item.added':
          return isJsonObject(event.item) ? open(event.item, outputIndex) : [];
        case 'response.output_item.done':
          return isJsonObject(event.item) ? done(event.item, outputIndex) : [];
        default:
          return [];
      }
    },
  };
}

const firstPart = 'content.0';

function partKey(list: string, index: JsonValue | undefined): string {
  return `${list}.${typeof index === 'number' ? index : 0}`;
}

function partsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
