import type { JsonObject } from '@forge/core';
import { createWholeCalls } from '../shared/whole-calls.ts';
import type { Frame, StreamEncoder, StreamEvent } from '../wire.ts';
import { encodeModelPart } from './encode-model-part.ts';
import { encodeGeminiError } from './errors.ts';
import { writeResponse } from './response.ts';

/**
 * Gemini sends a call whole, so calls wait until something else comes; calls in a row go out in
 * one content, as parallel calls do.
 */
export function createGeminiStreamEncoder(): StreamEncoder {
  let id: string | undefined;
  let model: string | undefined;
  const waiting = createWholeCalls();

  const frame = (value: JsonObject): Frame => ({ data: JSON.stringify(value) });
  const say = (parts: JsonObject[]): Frame => frame(writeResponse({ id, model, parts }));
  const calls = (): Frame[] => {
    const parts = waiting
      .take()
      .map(({ call }) => encodeModelPart(call))
      .filter((part) => part !== undefined);
    return parts.length === 0 ? [] : [say(parts)];
  };

  /** An empty text says nothing, unless it brings a signature for the one before. */
  const tell = ({ text, provider }: Extract<StreamEvent, { type: 'text' }>): Frame[] => {
    const part = encodeModelPart({
      type: 'text',
      text,
      ...(provider && { provider: { ...provider } }),
    });
    return part === undefined ? [] : [say([part])];
  };

  return {
    push(event) {
      switch (event.type) {
        case 'start':
          id = event.id;
          model = event.model;
          return [];
        case 'text':
          return [...calls(), ...tell(event)];
        case 'reasoning':
          return [...calls(), say([{ text: event.text, thought: true }])];
        case 'signature':
          return [
            ...calls(),
            say([{ text: '', thought: true, thoughtSignature: event.signature }]),
          ];
        case 'call':
        case 'args':
          waiting.push(event);
          return [];
        case 'opaque':
          return [...calls(), say([event.value])];
        case 'finish': {
          const { finish, usage, extra } = event;
          // A last chunk without a part would make clients throw the whole turn away.
          const isRefused = finish === 'content_filter' && extra.promptFeedback !== undefined;
          const parts = isRefused ? [] : [{ text: '' }];
          const last = { id, model, parts, finish, ...(usage && { usage }), extra };
          return [...calls(), frame(writeResponse(last))];
        }
        case 'error':
          waiting.drop();
          return [frame(encodeGeminiError(event.error).body)];
        default:
          return event satisfies never;
      }
    },
  };
}
