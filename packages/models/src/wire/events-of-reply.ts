import { isJsonObject, type JsonObject } from '@forge/core';
import type { StreamEvent, WireReply } from './wire.ts';

/** A whole reply as the stream it would have been: for servers and layers that answer in one piece. */
export function* eventsOfReply(reply: WireReply): Generator<StreamEvent> {
  const { id, model, content, finish, usage, cost, extra } = reply;
  yield {
    type: 'start',
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    extra,
  };
  let index = 0;
  for (const [at, part] of content.entries()) {
    switch (part.type) {
      case 'text': {
        // Fields, even none, begin a text of its own: else it would run on from the one before.
        const runsOn = part.text !== '' && content[at - 1]?.type === 'text';
        const provider = part.provider ?? (runsOn ? {} : undefined);
        yield { type: 'text', text: part.text, ...fieldsOf({ provider }) };
        break;
      }
      case 'reasoning':
        if (part.text !== '') yield { type: 'reasoning', text: part.text };
        if (part.signature !== undefined) {
          yield { type: 'signature', signature: part.signature, ...fieldsOf(part) };
        }
        break;
      case 'tool_call': {
        const { id, name, args, argsText, provider } = part;
        yield { type: 'call', index, id, name, ...(provider !== undefined && { provider }) };
        const text = argsText ?? (typeof args === 'string' ? args : JSON.stringify(args));
        if (text !== '') yield { type: 'args', index, text };
        index += 1;
        break;
      }
      case 'opaque':
        if (isJsonObject(part.value)) yield { type: 'opaque', wire: part.wire, value: part.value };
        break;
      default:
        part satisfies never;
    }
  }
  yield {
    type: 'finish',
    finish,
    ...(usage !== undefined && { usage }),
    ...(cost !== undefined && { cost }),
    extra: {},
  };
}

function fieldsOf({ provider }: { readonly provider?: JsonObject | undefined }): {
  provider?: JsonObject;
} {
  return provider === undefined ? {} : { provider };
}
