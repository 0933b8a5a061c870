import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import { sameJson } from '../shared/same-json.ts';
import type { StreamEvent } from '../wire.ts';
import { createAssistantDecoder, isMessage } from './assistant-decoder.ts';
import { type ItemKey, Items, type Progress } from './item-progress.ts';
import { givenId, isMadeUp, makeUpId } from './made-up-ids.ts';
import { opaqueContent } from './opaque-part.ts';
import { fieldsOf, providerWith } from './provider-fields.ts';
import type { DecodeContext } from './read-known.ts';
import { partSeparator, takeApartReasoning } from './reasoning-item.ts';
import { sealReasoning } from './sealed-reasoning.ts';
import { TextFlow } from './text-flow.ts';
import { decodeText } from './text-part.ts';

type TextKind = 'text' | 'reasoning';

export interface OutputDecoder {
  /** Whether any item has come whole; if none did, the final response has to make up for it. */
  readonly sawWholeItems: boolean;
  readonly sawCalls: boolean;
  /** Whether items are known by their place in the output, not by their ids. */
  readonly usesIndexes: boolean;
  push(event: JsonObject, name: unknown): StreamEvent[];
  /** The next piece of the text that came last: most of a stream. Undefined if it is not that. */
  goOn(event: JsonObject, name: unknown): StreamEvent | undefined;
  /** A whole item: whatever of it has not been given on yet. */
  done(item: JsonObject, outputIndex: ItemKey): StreamEvent[];
}

/** The events about output items. Unknown ones (progress of built-in tools, audio) say nothing. */
export function createOutputDecoder(context: DecodeContext): OutputDecoder {
  const assistant = createAssistantDecoder(context);
  const items = new Items();
  const flow = new TextFlow();
  let calls = 0;
  let wholeItems = 0;
  /** The item and its part whose text was the last thing given on. */
  let speaking: Progress | undefined;
  let spoken = '';

  function delta(
    event: JsonObject,
    name: string,
    kind: TextKind,
    list: 'content' | 'summary',
  ): StreamEvent[] {
    const part = partKey(list, event[`${list}_index`]);
    const progress = items.at(items.keyIn(event));
    const events = give({ progress, part, kind, piece: event.delta });
    const given = progress.given.get(part);
    if (events.length > 0 && given !== undefined) flow.begin(event, name, kind, given);
    return events;
  }

  function argsDelta(event: JsonObject, name: string): StreamEvent[] {
    const key = items.keyIn(event);
    const { callIndex, argsGiven } = items.find(key) ?? {};
    if (callIndex !== undefined && argsGiven !== undefined) {
      flow.begin(event, name, callIndex, argsGiven);
    }
    return args(key, event.delta);
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
    const sofar = given.get(part);
    if (sofar === undefined) given.set(part, { length: piece.length });
    else sofar.length += piece.length;
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
    if (sameJson(known, progress.told.get(part) ?? {})) return [];
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
    return give({
      progress,
      part,
      kind,
      piece: whole.slice(progress.given.get(part)?.length ?? 0),
    });
  }

  function open(item: JsonObject, key: ItemKey): StreamEvent[] {
    const progress = items.at(key);
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

  function args(key: ItemKey, piece: JsonValue | undefined): StreamEvent[] {
    const progress = items.find(key);
    if (progress?.callIndex === undefined || typeof piece !== 'string' || piece === '') return [];
    progress.argsGiven.length += piece.length;
    return [{ type: 'args', index: progress.callIndex, text: piece }];
  }

  function restOfArgs(key: ItemKey, whole: JsonValue | undefined): StreamEvent[] {
    const text = isJsonObject(whole) ? JSON.stringify(whole) : whole;
    if (typeof text !== 'string') return [];
    return args(key, text.slice(items.find(key)?.argsGiven.length ?? 0));
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
    const progress = items.at(items.keyIn(event));
    return settle(progress, typeof index === 'number' ? index : 0, part);
  }

  function done(item: JsonObject, outputIndex: ItemKey): StreamEvent[] {
    wholeItems += 1;
    const key = items.keyOf(outputIndex, item.id);
    const progress = items.at(key);
    if (isMessage(item)) return messageDone(item, progress);
    if (item.type === 'reasoning') return reasoningDone(item, progress);
    if (item.type === 'function_call') {
      return [...open(item, key), ...restOfArgs(key, item.arguments)];
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
    get usesIndexes() {
      return items.areNumbered;
    },
    done,
    goOn: (event, name) => flow.next(event, name),
    push(event, name) {
      flow.end();
      const { output_index: outputIndex, item } = event;
      switch (name) {
        case 'response.output_text.delta':
          return delta(event, name, 'text', 'content');
        case 'response.refusal.delta':
          refuses(items.at(items.keyIn(event)), partKey('content', event.content_index));
          return delta(event, name, 'text', 'content');
        case 'response.content_part.done':
          return partDone(event);
        case 'response.function_call_arguments.delta':
          return argsDelta(event, name);
        case 'response.reasoning_summary_text.delta':
          return delta(event, name, 'reasoning', 'summary');
        case 'response.reasoning_text.delta':
          return delta(event, name, 'reasoning', 'content');
        case 'response.function_call_arguments.done':
          return restOfArgs(items.keyIn(event), event.arguments);
        case 'response.output_item.added':
          if (!isJsonObject(item)) return [];
          return open(item, items.open(outputIndex, item.id));
        case 'response.output_item.done':
          return isJsonObject(item) ? done(item, outputIndex) : [];
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
