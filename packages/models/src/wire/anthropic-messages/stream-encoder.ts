import { isJsonObject, type JsonObject } from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import type { Frame, StreamEncoder, StreamEvent } from '../wire.ts';
import { encodeError } from './encode-error.ts';
import { messageHead } from './encode-reply.ts';
import { fromProvider } from './provider-fields.ts';
import { encodeStopReason } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

type Start = Extract<StreamEvent, { type: 'start' }>;
type Text = Extract<StreamEvent, { type: 'text' }>;
type Finish = Extract<StreamEvent, { type: 'finish' }>;

/**
 * Writes a streamed message the way the API does: `message_start`, each block from start to stop
 * before the next one, `message_delta`, `message_stop`. Blocks are numbered from 0. An error ends
 * the stream where it is. Events after the end, and empty text, write nothing.
 */
export function createStreamEncoder(): StreamEncoder {
  return new MessageEncoder();
}

class MessageEncoder implements StreamEncoder {
  #started = false;
  #over = false;
  #blocks = 0;
  /** What the start already said of the end: a reply sent in one piece says it there. */
  #extra: JsonObject = {};
  #open: 'text' | 'thinking' | 'signed' | 'call' | undefined;
  /** The block of each call, by the call's number. */
  readonly #calls = new Map<number, number>();

  push(event: StreamEvent): readonly Frame[] {
    if (this.#over) return [];
    const head = event.type === 'start' || event.type === 'error' ? [] : this.#start(noStart);
    return head.concat(this.#write(event));
  }

  #write(event: StreamEvent): Frame[] {
    switch (event.type) {
      case 'start':
        return this.#start(event);
      case 'text':
        return this.#say(event);
      case 'reasoning': {
        const opened = this.#think();
        if (event.text === '') return opened;
        return [...opened, this.#delta({ type: 'thinking_delta', thinking: event.text })];
      }
      case 'signature': {
        const opened = this.#think();
        this.#open = 'signed';
        return [...opened, this.#delta({ type: 'signature_delta', signature: event.signature })];
      }
      case 'call': {
        const { id, name } = event;
        const block = { ...fromProvider(event), type: 'tool_use', id, name, input: {} };
        const frames = this.#begin('call', block);
        this.#calls.set(event.index, this.#blocks - 1);
        return frames;
      }
      case 'args': {
        const block = this.#calls.get(event.index);
        if (block === undefined) return [];
        return [this.#delta({ type: 'input_json_delta', partial_json: event.text }, block)];
      }
      case 'opaque': {
        const frames = this.#begin(undefined, event.value);
        return [...frames, frame({ type: 'content_block_stop', index: this.#blocks - 1 })];
      }
      case 'finish':
        this.#over = true;
        return [...this.#close(), ...this.#finish(event)];
      case 'error':
        this.#over = true;
        return [frame(encodeError(event.error).body)];
      default:
        return event satisfies never;
    }
  }

  /** A stream that begins with something else has its start made up. */
  #start({ id, model, extra }: Start): Frame[] {
    if (this.#started) return [];
    this.#started = true;
    this.#extra = extra;
    const { usage, ...rest } = extra;
    const message = {
      ...messageHead({ id, model, extra: rest }),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...encodeUsage(undefined, undefined), ...(isJsonObject(usage) && usage) },
    };
    return [frame({ type: 'message_start', message })];
  }

  #finish({ finish, usage, extra }: Finish): Frame[] {
    const { context_management, usage: _, ...fields } = extra;
    const { stop_reason, stop_sequence, usage: rest } = { ...this.#extra, ...extra };
    const delta = {
      ...fields,
      stop_reason: encodeStopReason({
        finish,
        stopReason: stop_reason,
        hasCalls: this.#calls.size > 0,
      }),
      stop_sequence: stop_sequence ?? null,
    };
    const counts = encodeUsage(usage, rest);
    return [
      frame(defined({ type: 'message_delta', delta, usage: counts, context_management })),
      frame({ type: 'message_stop' }),
    ];
  }

  #say(event: Text): Frame[] {
    const { citations, ...fields } = fromProvider(event);
    const cited = Array.isArray(citations) ? citations : [];
    const cite = cited.map((citation) => ({ type: 'citations_delta', citation }));
    if (event.text === '') {
      if (event.provider === undefined || this.#open !== 'text') return [];
      return [...cite.map((delta) => this.#delta(delta)), ...this.#close()];
    }
    const opened =
      event.provider === undefined
        ? this.#ensure('text', { type: 'text', text: '', citations: null })
        : this.#begin('text', { ...fields, type: 'text', text: '', citations: [] });
    const deltas = [{ type: 'text_delta', text: event.text }, ...cite];
    return [...opened, ...deltas.map((delta) => this.#delta(delta))];
  }

  /** A thought ends with its signature; what comes then is another one. */
  #think(): Frame[] {
    return this.#ensure('thinking', { type: 'thinking', thinking: '', signature: '' });
  }

  #ensure(kind: 'text' | 'thinking', block: JsonObject): Frame[] {
    return this.#open === kind ? [] : this.#begin(kind, block);
  }

  #begin(kind: 'text' | 'thinking' | 'call' | undefined, content_block: JsonObject): Frame[] {
    const closed = this.#close();
    this.#open = kind;
    const index = this.#blocks++;
    return [...closed, frame({ type: 'content_block_start', index, content_block })];
  }

  #close(): Frame[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [frame({ type: 'content_block_stop', index: this.#blocks - 1 })];
  }

  #delta(delta: JsonObject, index = this.#blocks - 1): Frame {
    return frame({ type: 'content_block_delta', index, delta });
  }
}

const noStart: Start = { type: 'start', extra: {} };

function frame(data: JsonObject): Frame {
  return { event: String(data.type), data: JSON.stringify(data) };
}
