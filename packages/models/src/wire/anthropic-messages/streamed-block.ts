import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { parseJson } from '../shared/parse-json.ts';
import type { StreamEvent } from '../wire.ts';
import { toProvider } from './provider-fields.ts';
import { without } from './read-object.ts';

/** One content block while it arrives. */
export interface StreamedBlock {
  start(): readonly StreamEvent[];
  delta(delta: JsonObject): readonly StreamEvent[];
  stop(): readonly StreamEvent[];
  /** What there is still to say once it is known that the reply was not cut off in this block. */
  whole?(): readonly StreamEvent[];
}

/** `nextCall` gives the number of a new tool call. */
export function openBlock(block: JsonObject, nextCall: () => number): StreamedBlock {
  switch (block.type) {
    case 'text':
      return textBlock(block);
    case 'thinking':
      return thinkingBlock(block);
    case 'tool_use':
      return callBlock(block, nextCall());
    default:
      return opaqueBlock(block);
  }
}

/**
 * A block that may be cited, or has fields of its own, is a text of its own. Its citations belong
 * to it as a whole and are told when it ends.
 */
function textBlock(block: JsonObject): StreamedBlock {
  const { provider } = toProvider(without(block, { type: '', text: '', citations: '' }));
  const citations: JsonValue[] = Array.isArray(block.citations) ? [...block.citations] : [];
  const isApart = Array.isArray(block.citations) || provider !== undefined;
  let silent = true;
  const speak = (words: JsonValue | undefined): readonly StreamEvent[] => {
    const events = say('text', words);
    const isFirst = silent && events.length > 0;
    if (isFirst) silent = false;
    return isFirst && isApart
      ? events.map((event) => ({ ...event, provider: provider ?? {} }))
      : events;
  };
  return {
    start: () => speak(block.text),
    delta(delta) {
      if (delta.type === 'citations_delta' && delta.citation !== undefined) {
        citations.push(delta.citation);
      }
      return speak(delta.text);
    },
    stop() {
      if (citations.length > 0) return [{ type: 'text', text: '', ...toProvider({ citations }) }];
      return isApart && !silent ? [{ type: 'text', text: '', provider: {} }] : [];
    },
  };
}

/**
 * The signature comes last and replaces any before it. A thought may have no words and still a
 * signature that must be sent back, so an empty piece marks where it stands.
 */
function thinkingBlock(block: JsonObject): StreamedBlock {
  let signature = block.signature;
  let silent = true;
  const think = (words: JsonValue | undefined): readonly StreamEvent[] => {
    const events = say('reasoning', words);
    if (events.length > 0) silent = false;
    return events;
  };
  return {
    start: () => think(block.thinking),
    delta(delta) {
      if (typeof delta.signature === 'string') signature = delta.signature;
      return think(delta.thinking);
    },
    stop() {
      if (typeof signature !== 'string' || signature === '') return [];
      const mark: StreamEvent[] = silent ? [{ type: 'reasoning', text: '' }] : [];
      return [...mark, { type: 'signature', signature }];
    },
  };
}

/**
 * Arguments come as pieces of JSON text; some servers put them whole into the block's start. None
 * at all is a call without arguments, or one that was cut off before them.
 */
function callBlock(block: JsonObject, index: number): StreamedBlock {
  const { id, name } = block;
  const rest = without(block, { type: '', id: '', name: '', input: '' });
  let silent = true;
  return {
    start: () => [
      {
        type: 'call',
        index,
        id: typeof id === 'string' && id !== '' ? id : `toolu_${index}`,
        name: typeof name === 'string' ? name : '',
        ...toProvider(rest),
      },
    ],
    delta({ partial_json }) {
      if (typeof partial_json !== 'string' || partial_json === '') return [];
      silent = false;
      return [{ type: 'args', index, text: partial_json }];
    },
    stop() {
      if (!silent || !isJsonObject(block.input) || Object.keys(block.input).length === 0) return [];
      silent = false;
      return [{ type: 'args', index, text: JSON.stringify(block.input) }];
    },
    whole: () => (silent ? [{ type: 'args', index, text: '{}' }] : []),
  };
}

/** Held until it is whole: pieces of a block nobody knows mean nothing. */
function opaqueBlock(block: JsonObject): StreamedBlock {
  const whole = new Map<string, JsonValue>(Object.entries(block));
  let input = '';
  return {
    start: () => [],
    delta({ type: _, partial_json, ...fields }) {
      if (typeof partial_json === 'string') input += partial_json;
      for (const [key, value] of Object.entries(fields)) {
        const before = whole.get(key);
        const joins = typeof before === 'string' && typeof value === 'string';
        whole.set(key, joins ? before + value : value);
      }
      return [];
    },
    stop() {
      if (input !== '') whole.set('input', inputFrom(input));
      return [{ type: 'opaque', value: Object.fromEntries(whole) }];
    },
  };
}

function say(type: 'text' | 'reasoning', words: JsonValue | undefined): readonly StreamEvent[] {
  return typeof words === 'string' && words !== '' ? [{ type, text: words }] : [];
}

function inputFrom(text: string): JsonValue {
  const value = parseJson(text);
  return isJsonObject(value) ? value : text;
}
