import { isJsonObject, type JsonObject } from '@forge/core';
import { parseJson } from '../shared/parse-json.ts';
import type { Frame, StreamDecoder, StreamEvent } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import { errorFromBody } from './error-kind.ts';
import { createOutputDecoder } from './output-decoder.ts';
import { finishOf, readResponse, withoutEqual } from './response-fields.ts';

/**
 * Server-sent events of a response → stream events. Deltas are given on as they come; what a
 * server leaves out of them is made up for from the `done` event, then from the final response.
 * Nothing of the text is held, only how much of it has been given.
 */
export function createStreamDecoder(newId: () => string): StreamDecoder {
  const output = createOutputDecoder({ kind: 'bad_response', newId });
  let startExtra: JsonObject | undefined;
  let ended = false;

  function start(response: unknown): StreamEvent[] {
    if (startExtra !== undefined) return [];
    startExtra = {};
    if (response === undefined) return [{ type: 'start', extra: {} }];
    const { id, model, extra } = readResponse(response, 'response');
    const { status: _, ...kept } = extra;
    startExtra = kept;
    const head = { ...(id !== undefined && { id }), ...(model !== undefined && { model }) };
    return [{ type: 'start', ...head, extra: kept }];
  }

  function finish(response: unknown): StreamEvent[] {
    const events = start(response);
    const head = readResponse(response, 'response');
    if (!output.sawWholeItems) {
      head.output.forEach((item, index) => {
        events.push(...output.done(item, output.usesIndexes ? index : undefined));
      });
    }
    ended = true;
    events.push({
      type: 'finish',
      finish: finishOf(head, output.sawCalls),
      ...(head.usage !== undefined && { usage: head.usage }),
      extra: withoutEqual(head.extra, startExtra ?? {}),
    });
    return events;
  }

  function fail(error: WireError): StreamEvent[] {
    ended = true;
    return [{ type: 'error', error }];
  }

  function decode(event: JsonObject, name: unknown): StreamEvent[] {
    switch (name) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return start(event.response);
      case 'response.completed':
      case 'response.incomplete':
        return finish(event.response);
      case 'response.failed':
        return fail(errorFromBody(failureOf(event.response)));
      case 'error':
        return fail(errorFromBody(isJsonObject(event.error) ? event.error : event));
      default: {
        if (typeof name !== 'string' && isJsonObject(event.error)) {
          return fail(errorFromBody(event.error));
        }
        const events = output.push(event, name);
        return startExtra === undefined && events.length > 0
          ? [...start(undefined), ...events]
          : events;
      }
    }
  }

  return {
    push({ data, event: named }: Frame) {
      if (ended || data === '[DONE]' || data === '') return [];
      const event = parseJson(data);
      if (!isJsonObject(event)) {
        return fail({ kind: 'bad_response', message: 'The stream has an event that is not JSON.' });
      }
      const name = event.type ?? named;
      const next = output.goOn(event, name);
      return next === undefined ? decode(event, name) : [next];
    },
    end() {
      if (ended) return [];
      return fail({
        kind: 'bad_response',
        message: 'The stream ended before the response was completed.',
      });
    },
  };
}

function failureOf(response: unknown): JsonObject {
  return isJsonObject(response) && isJsonObject(response.error) ? response.error : {};
}
