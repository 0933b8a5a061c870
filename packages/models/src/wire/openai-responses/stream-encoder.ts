import { isJsonObject, type JsonObject } from '@forge/core';
import { encodeError } from '../openai-chat/errors.ts';
import type { Frame, StreamEncoder, StreamEvent } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import type { EncodeContext } from './encode-reply.ts';
import { createItemIds } from './item-ids.ts';
import { makeUpId } from './made-up-ids.ts';
import type { Emit } from './open-block.ts';
import { createOutputEncoder } from './output-encoder.ts';
import { type Ending, responseObject } from './response-fields.ts';

interface Head {
  readonly id: string;
  readonly model: string | undefined;
  readonly createdAt: number;
}

/**
 * Stream events → the server-sent events of a response. Items open and close in order, numbered
 * without gaps; the last event holds the whole response, which is all that some clients read.
 */
export function createStreamEncoder({ newId, now }: EncodeContext): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  let head: Head | undefined;
  let extra: JsonObject = {};
  let ended = false;

  const emit: Emit = (type, fields) => {
    const data = { type, sequence_number: sequence, ...fields };
    sequence += 1;
    frames.push({ event: type, data: JSON.stringify(data) });
  };
  const output = createOutputEncoder({ emit, ids: createItemIds(newId) });

  function start(event: { id?: string; model?: string; extra?: JsonObject }): Head {
    if (head !== undefined) return head;
    const { id = makeUpId('resp', newId()), model } = event;
    head = { id, model, createdAt: Math.floor(now() / 1000) };
    extra = { ...event.extra };
    const response = snapshot(head, { type: 'running' });
    emit('response.created', { response });
    emit('response.in_progress', { response });
    return head;
  }

  function snapshot(
    { id, model, createdAt }: Head,
    ending: Ending,
    usage?: Extract<StreamEvent, { type: 'finish' }>['usage'],
  ): JsonObject {
    return responseObject({ id, model, createdAt, output: output.items(), ending, usage, extra });
  }

  function finish(event: Extract<StreamEvent, { type: 'finish' }>): void {
    output.close();
    extra = { ...extra, ...event.extra };
    const { finish: reason, usage } = event;
    const response = snapshot(started(), { type: 'finished', finish: reason }, usage);
    emit(response.status === 'completed' ? 'response.completed' : 'response.incomplete', {
      response,
    });
    ended = true;
  }

  /** Both, as the API does it: some clients heed only the one, some only the other. */
  function fail(error: WireError): void {
    const details = encodeError(error).body.error;
    const { code, type, message } = isJsonObject(details) ? details : {};
    const named = { code: code ?? type ?? 'server_error', message: message ?? '' };
    emit('error', { ...named, param: null, error: details ?? named });
    const response = snapshot(started(), { type: 'failed', error: named });
    emit('response.failed', { response });
    ended = true;
  }

  function started(): Head {
    return head ?? start({});
  }

  function encode(event: StreamEvent): void {
    if (event.type === 'start') {
      start(event);
      return;
    }
    started();
    switch (event.type) {
      case 'finish':
        finish(event);
        return;
      case 'error':
        fail(event.error);
        return;
      default: {
        const problem = output.push(event);
        if (problem !== undefined) fail({ kind: 'bad_response', message: problem });
      }
    }
  }

  return {
    push(event) {
      if (ended) return [];
      frames = [];
      encode(event);
      return frames;
    },
  };
}
