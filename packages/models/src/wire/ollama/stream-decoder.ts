import { isJsonObject, type JsonObject } from '@forge/core';
import { createCallIds } from '../shared/call-ids.ts';
import { asText } from '../shared/lenient.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Frame, StreamDecoder, StreamEvent } from '../wire.ts';
import type { WireError } from '../wire-error.ts';
import { errorOf } from './errors.ts';
import { decodeFinish, decodeUsage, otherResponseFields } from './response.ts';
import { scopeOf } from './scope-of.ts';
import { decodeToolCalls } from './tool-calls.ts';

/** Each line is a response with a piece of the message; the one with `done: true` is the last. */
export function createOllamaStreamDecoder(): StreamDecoder {
  let isStarted = false;
  let isOver = false;
  let calls = 0;
  let scope: string | undefined;
  const ids = createCallIds(() => scope);

  const fail = (error: WireError = unreadable): StreamEvent => {
    isOver = true;
    return { type: 'error', error };
  };

  const hearMessage = (message: JsonObject, events: StreamEvent[]) => {
    const thinking = asText(message.thinking);
    if (thinking) events.push({ type: 'reasoning', text: thinking });
    const words = asText(message.content);
    if (words) events.push({ type: 'text', text: words });
    if (message.tool_calls === undefined) return;
    for (const { id, name, args, provider } of decodeToolCalls(message.tool_calls, ids)) {
      const index = calls;
      calls += 1;
      events.push({ type: 'call', index, id, name, ...(provider && { provider }) });
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      events.push({ type: 'args', index, text });
    }
  };

  return {
    push({ data }: Frame) {
      if (isOver || data === '') return [];
      const line = parseJson(data);
      if (!isJsonObject(line)) return [fail()];
      const error = errorOf(line);
      if (error !== undefined) return [fail(error)];
      const events: StreamEvent[] = [];
      if (!isStarted) {
        isStarted = true;
        scope = scopeOf(line);
        const model = asText(line.model);
        events.push({ type: 'start', ...(model !== undefined && { model }), extra: {} });
      }
      if (isJsonObject(line.message)) hearMessage(line.message, events);
      if (line.done === true) {
        isOver = true;
        const { finish, raw } = decodeFinish(asText(line.done_reason), calls > 0);
        const usage = decodeUsage(line);
        const extra = { ...otherResponseFields(line), ...raw };
        events.push({ type: 'finish', finish, ...(usage && { usage }), extra });
      }
      return events;
    },
    end() {
      return isOver ? [] : [fail(cutOff)];
    },
  };
}

const unreadable = errorWith('Ollama sent a line that cannot be read.');
const cutOff = errorWith('Ollama stopped in the middle of its reply.');

function errorWith(message: string) {
  return { kind: 'bad_response', message } as const;
}
