import { ModelError } from '../model-error.ts';
import type { WireReply } from '../wire.ts';
import { createAssistantDecoder } from './assistant-decoder.ts';
import { errorFromBody } from './error-kind.ts';
import type { DecodeContext } from './read-known.ts';
import { finishOf, readResponse } from './response-fields.ts';

/** Throws for a response that failed, with the kind its error code stands for. */
export function decodeReply(body: unknown, newId: () => string): WireReply {
  const context: DecodeContext = { kind: 'bad_response', newId };
  const head = readResponse(body, 'body');
  if (head.status === 'failed' || (head.error !== undefined && head.output.length === 0)) {
    throw new ModelError(errorFromBody(head.error ?? {}));
  }
  const decoder = createAssistantDecoder(context);
  const content = head.output.flatMap((item, index) => decoder.push(item, `output.${index}`));
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return {
    ...(head.id !== undefined && { id: head.id }),
    ...(head.model !== undefined && { model: head.model }),
    content,
    finish: finishOf(head, hasCalls),
    ...(head.usage !== undefined && { usage: head.usage }),
    extra: head.extra,
  };
}
