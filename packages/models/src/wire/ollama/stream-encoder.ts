import type { JsonObject } from '@forge/core';
import { createWholeCalls } from '../shared/whole-calls.ts';
import type { Frame, StreamEncoder } from '../wire.ts';
import { encodeAssistant } from './encode-messages.ts';
import { encodeStreamedError } from './errors.ts';
import { encodeFinish, encodeUsage } from './response.ts';
import { encodeToolCall } from './tool-calls.ts';

/**
 * Ollama sends a call whole, so calls wait until something else comes. Signatures and other
 * wires' blocks have no place here.
 */
export function createOllamaStreamEncoder(now: () => number): StreamEncoder {
  let model = '';
  const waiting = createWholeCalls();

  const line = (message: JsonObject, fields: JsonObject = { done: false }): Frame => {
    const created_at = new Date(now()).toISOString();
    return { data: JSON.stringify({ model, created_at, message, ...fields }) };
  };
  const calls = (): Frame[] => {
    const tool_calls = waiting.take().map(({ call, index }) => encodeToolCall(call, index));
    if (tool_calls.length === 0) return [];
    return [line({ role: 'assistant', content: '', tool_calls })];
  };

  return {
    push(event) {
      switch (event.type) {
        case 'start':
          model = event.model ?? '';
          return [];
        case 'text':
        case 'reasoning':
          return [...calls(), line(encodeAssistant([event]))];
        case 'call':
        case 'args':
          waiting.push(event);
          return [];
        case 'signature':
        case 'opaque':
          return calls();
        case 'finish': {
          const { done_reason: raw, message: _, ...others } = event.extra;
          const ending = {
            done: true,
            done_reason: encodeFinish(event.finish, raw),
            ...encodeUsage(event.usage),
            ...others,
          };
          return [...calls(), line({ role: 'assistant', content: '' }, ending)];
        }
        case 'error':
          waiting.drop();
          return [{ data: JSON.stringify(encodeStreamedError(event.error)) }];
        default:
          return event satisfies never;
      }
    },
  };
}
