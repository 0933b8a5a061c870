import type { AssistantMessage, AssistantPart, Message } from '../messages/message.ts';
import type { ContextEntry } from './entry.ts';

/** Whether earlier reasoning is sent again: never, that of the last accepted reply, or all of it. */
export type ReasoningReplay = 'none' | 'last' | 'full';

/**
 * The window as the model will see it: reasoning only as far as `replay` says, and no blank text
 * in replies. Reasoning that carries a provider's proof is kept in every mode from the last input
 * on, because providers refuse to go on with a tool call whose reasoning is missing. Entries that
 * need no change stay the same objects.
 */
export function sentWindow(
  window: readonly ContextEntry[],
  replay: ReasoningReplay = 'none',
): readonly ContextEntry[] {
  const lastInput = window.findLastIndex((entry) => entry.kind === 'input');
  const lastReply = window.findLastIndex((entry) => entry.kind === 'reply');
  return window.map((entry, at) => {
    if (entry.message.role !== 'assistant') return entry;
    const replayed = replay === 'full' || (replay === 'last' && at === lastReply);
    return withParts(entry, entry.message, (part) => {
      switch (part.type) {
        case 'tool_call':
        case 'opaque':
          return true;
        case 'text':
          return part.text.trim() !== '' || part.provider !== undefined;
        case 'reasoning':
          return replayed || (at > lastInput && isProven(part));
        default:
          return part satisfies never;
      }
    });
  });
}

/** A reply without words and calls. It is not sent: providers refuse empty replies. */
export function saysNothing(message: Message): boolean {
  if (message.role !== 'assistant') return false;
  return !message.content.some(
    (part) => part.type === 'tool_call' || (part.type === 'text' && part.text.trim() !== ''),
  );
}

/** The entry with only those parts of its reply that pass. */
export function withParts(
  entry: ContextEntry,
  message: AssistantMessage,
  passes: (part: AssistantPart) => boolean,
): ContextEntry {
  if (message.content.every(passes)) return entry;
  return { ...entry, message: { ...message, content: message.content.filter(passes) } };
}

function isProven(part: { signature?: string; provider?: unknown }): boolean {
  return part.signature !== undefined || part.provider !== undefined;
}
