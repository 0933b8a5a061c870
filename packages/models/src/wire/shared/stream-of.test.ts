import { type AssistantPart, type FinishReason, isJsonObject } from '@forge/core';
import type { StreamEvent } from '../wire.ts';

/** Parts as the stream they add up to: the way back of `assemble`. */
export function streamOf(content: readonly AssistantPart[], finish: FinishReason): StreamEvent[] {
  let index = -1;
  const pieces = content.flatMap((part): StreamEvent[] => {
    switch (part.type) {
      case 'text': {
        const { text, provider } = part;
        return [
          { type: 'text', text, provider: provider ?? {} },
          { type: 'text', text: '', provider: provider ?? {} },
        ];
      }
      case 'reasoning': {
        const { text, signature, provider } = part;
        const proof = { type: 'signature' as const, ...(provider && { provider }) };
        return [
          { type: 'reasoning', text },
          ...(signature === undefined ? [] : [{ ...proof, signature }]),
        ];
      }
      case 'tool_call': {
        const { id, name, args, provider } = part;
        index += 1;
        return [
          { type: 'call', index, id, name, ...(provider && { provider }) },
          { type: 'args', index, text: typeof args === 'string' ? args : JSON.stringify(args) },
        ];
      }
      case 'opaque':
        return isJsonObject(part.value)
          ? [{ type: 'opaque', wire: part.wire, value: part.value }]
          : [];
      default:
        return part satisfies never;
    }
  });
  return [{ type: 'start', extra: {} }, ...pieces, { type: 'finish', finish, extra: {} }];
}
