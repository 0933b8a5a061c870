import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { defined } from '../shared/json-fields.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Frame, StreamDecoder, StreamEvent } from '../wire.ts';
import { decodeErrorBody } from './decode-error.ts';
import { without } from './read-object.ts';
import { decodeStopReason } from './stop-reason.ts';
import { openBlock, type StreamedBlock } from './streamed-block.ts';
import { decodeUsage } from './usage.ts';

/** Of a started message, what has its own place or comes again at the end. */
const headFields = {
  id: '',
  type: '',
  role: '',
  model: '',
  content: '',
  stop_reason: '',
  stop_sequence: '',
  usage: '',
};

/**
 * Reads the events of a streamed message. Frames are told apart by the `type` in their data, as
 * some servers name no event. Pings and events of unknown types are passed over, as the API asks
 * of its clients. A message is complete with its stop reason, whether or not `message_stop`
 * follows. Nothing comes out after `finish` or `error`.
 *
 * Frames are narrowed by hand and not by a schema: there is one for each token.
 */
export function createStreamDecoder(): StreamDecoder {
  return new MessageDecoder();
}

class MessageDecoder implements StreamDecoder {
  readonly #blocks = new Map<JsonValue, StreamedBlock>();
  /** Some servers go on with a block after its stop. */
  readonly #ended = new Map<JsonValue, StreamedBlock>();
  #calls = 0;
  #closed: StreamedBlock | undefined;
  #started = false;
  #over = false;
  #usage: JsonObject | undefined;
  #extra: JsonObject = {};

  push(frame: Frame): readonly StreamEvent[] {
    if (this.#over || frame.data === '' || frame.data === '[DONE]') return [];
    const data = parseJson(frame.data);
    if (data === undefined) return this.#fail('An event of the stream is not JSON.');
    if (!isJsonObject(data)) return this.#fail('An event of the stream is not an object.');
    switch (data.type ?? frame.event) {
      case 'content_block_delta':
        return this.#delta(data);
      case 'content_block_start':
        return this.#open(data);
      case 'content_block_stop':
        return this.#close(data.index ?? 0);
      case 'message_start':
        return this.#start(data.message);
      case 'message_delta':
        return this.#update(data);
      case 'message_stop':
        return this.#finish();
      case 'error':
        this.#over = true;
        return [{ type: 'error', error: decodeErrorBody(data) }];
      default:
        return [];
    }
  }

  end(): readonly StreamEvent[] {
    if (this.#over) return [];
    if (this.#extra.stop_reason !== undefined) return this.#finish();
    return this.#fail('The stream stopped before the reply was complete.');
  }

  /** A reply that took up a paused one may be whole from the start, stop reason and all. */
  #start(message: JsonValue | undefined): readonly StreamEvent[] {
    if (this.#started || !isJsonObject(message)) return [];
    this.#started = true;
    this.#usage = isJsonObject(message.usage) ? message.usage : undefined;
    const { stop_reason, stop_sequence } = message;
    this.#extra = without(defined({ stop_reason, stop_sequence }), {});
    const counted = decodeUsage(message.usage).usage?.inputTokens;
    const extra = { ...without(message, headFields), usage: counted ? this.#usage : undefined };
    const whole = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
    return [
      {
        type: 'start',
        ...(typeof message.id === 'string' && { id: message.id }),
        ...(typeof message.model === 'string' && { model: message.model }),
        extra: defined(extra),
      },
      ...whole.flatMap((content_block) => {
        const block = openBlock(content_block, () => this.#calls++);
        return [...block.start(), ...block.stop(), ...(block.whole?.() ?? [])];
      }),
    ];
  }

  #open({ index = 0, content_block }: JsonObject): readonly StreamEvent[] {
    if (!isJsonObject(content_block)) return this.#fail('A block of the stream is not an object.');
    const block = openBlock(content_block, () => this.#calls++);
    this.#blocks.set(index, block);
    return [...this.#settle(), ...block.start()];
  }

  #delta({ index = 0, delta }: JsonObject): readonly StreamEvent[] {
    if (!isJsonObject(delta)) return [];
    const block = this.#blocks.get(index) ?? this.#ended.get(index);
    return block === undefined
      ? this.#fail(`The stream goes on with block ${String(index)}, which it never started.`)
      : block.delta(delta);
  }

  #close(index: JsonValue): readonly StreamEvent[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    this.#blocks.delete(index);
    this.#ended.set(index, block);
    const settled = this.#settle();
    this.#closed = block;
    return [...settled, ...block.stop()];
  }

  /** Something follows the block that was closed last, so it was not cut off. */
  #settle(): readonly StreamEvent[] {
    const closed = this.#closed;
    this.#closed = undefined;
    return closed?.whole?.() ?? [];
  }

  /** Counts are totals of the whole message, left out where they have not changed. */
  #update(data: JsonObject): readonly StreamEvent[] {
    const delta = isJsonObject(data.delta) ? data.delta : {};
    if (isJsonObject(data.usage)) this.#usage = { ...this.#usage, ...without(data.usage, {}) };
    const others = without(data, { type: '', delta: '', usage: '' });
    this.#extra = { ...this.#extra, ...others, ...without(delta, {}) };
    return [];
  }

  #finish(): readonly StreamEvent[] {
    const closing = [...this.#blocks.keys()].flatMap((index) => this.#close(index));
    const { usage, rest } = decodeUsage(this.#usage);
    const finish = decodeStopReason(this.#extra.stop_reason);
    const settled = finish === 'length' ? [] : this.#settle();
    this.#over = true;
    return [
      ...closing,
      ...settled,
      {
        type: 'finish',
        finish,
        ...(usage && { usage }),
        extra: defined({
          ...this.#extra,
          usage: rest,
        }),
      },
    ];
  }

  #fail(message: string): readonly StreamEvent[] {
    this.#over = true;
    return [{ type: 'error', error: { kind: 'bad_response', message } }];
  }
}
