import type { JsonObject } from '@forge/core';
import { objectOf } from '../shared/json-fields.ts';
import type { Frame, StreamEncoder, StreamEvent } from '../wire.ts';
import { isRefusal } from './assistant.ts';
import type { ChatDialect } from './dialect.ts';
import { encodeError } from './errors.ts';
import { encodeFinish } from './finish.ts';
import { fromProvider, ownFields } from './provider-fields.ts';
import type { Stamp } from './reply.ts';
import { encodeUsage } from './usage.ts';

type FinishEvent = Extract<StreamEvent, { type: 'finish' }>;
type CallEvent = Extract<StreamEvent, { type: 'call' }>;

/**
 * A stream as OpenAI sends it. A usage chunk comes before `[DONE]` if the finish has usage: leave
 * it out for clients that did not ask with `stream_options.include_usage`. Signatures have no
 * place on this wire.
 */
export function createStreamEncoder(dialect: ChatDialect, stamp: () => Stamp): StreamEncoder {
  let head: JsonObject | undefined;
  const withoutArgs = new Set<number>();
  let hasCalls = false;
  /** The text being written is a refusal. */
  let refuses = false;

  function chunk(choices: JsonObject[], more: JsonObject = {}): Frame {
    return { data: JSON.stringify({ ...begin(), ...more, choices }) };
  }

  function begin(event?: Extract<StreamEvent, { type: 'start' }>): JsonObject {
    if (head !== undefined) return head;
    const { id, created } = stamp();
    head = {
      id: event?.id ?? id,
      object: 'chat.completion.chunk',
      created,
      ...event?.extra,
      model: event?.model ?? '',
    };
    return head;
  }

  function delta(value: JsonObject): Frame {
    return chunk([{ index: 0, delta: value, finish_reason: null }]);
  }

  function argsDelta(index: number, text: string): Frame {
    withoutArgs.delete(index);
    return delta({ tool_calls: [{ index, function: { arguments: text } }] });
  }

  function callDelta({ index, id, name, provider }: CallEvent): Frame {
    hasCalls = true;
    withoutArgs.add(index);
    const { function: inner, ...outer } = fromProvider(provider, dialect);
    const called = { ...objectOf(inner ?? ownFields(provider).function), name, arguments: '' };
    return delta({ tool_calls: [{ ...outer, index, id, type: 'function', function: called }] });
  }

  function finish({ finish: meaning, usage, cost, extra }: FinishEvent): Frame[] {
    const { finish_reason, choice, usage: usageRest, ...more } = extra;
    const reason = encodeFinish(meaning, finish_reason, hasCalls);
    return [
      // Clients parse the arguments, and the empty string is no JSON.
      ...Array.from(withoutArgs, (index) => argsDelta(index, '{}')),
      chunk([{ ...objectOf(choice), index: 0, delta: {}, finish_reason: reason }], more),
      ...(usage === undefined ? [] : [chunk([], { usage: encodeUsage(usage, cost, usageRest) })]),
      { data: '[DONE]' },
    ];
  }

  return {
    push(event) {
      switch (event.type) {
        case 'start':
          begin(event);
          return [delta({ role: 'assistant', content: '' })];
        case 'text':
          if (event.provider !== undefined) refuses = isRefusal(event);
          if (event.text === '' && event.provider !== undefined) return [];
          return [delta({ [refuses ? 'refusal' : 'content']: event.text })];
        case 'reasoning':
          return dialect.reasoningField === 'none'
            ? []
            : [delta({ [dialect.reasoningField]: event.text })];
        case 'signature':
          return [];
        case 'call':
          return [callDelta(event)];
        case 'args':
          return [argsDelta(event.index, event.text)];
        case 'opaque':
          return [
            delta(typeof event.value.type === 'string' ? { content: [event.value] } : event.value),
          ];
        case 'finish':
          return finish(event);
        case 'error':
          return [{ data: JSON.stringify(encodeError(event.error).body) }];
        default:
          return event satisfies never;
      }
    },
  };
}
