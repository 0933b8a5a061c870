import { type Message, userMessage } from '../messages/message.ts';
import type { SummaryRequest } from './compaction.ts';
import { cutText, savedSpace } from './cut-text.ts';
import type { ContextEntry } from './entry.ts';

/** A summary as the log keeps it: the text is final, nothing is added when it is applied. */
export interface Summary {
  readonly replaces: readonly number[];
  readonly text: string;
}

const heading = '[Summary of earlier steps]\n';

/**
 * What a summariser wrote, made safe to record: cut to the size that was asked for, so that a
 * summary never takes more than what it replaces. `undefined` when there is nothing to put in
 * place of the entries; plan again with `canSummarize: false` then.
 */
export function prepareSummary({
  request,
  text,
  countTokens,
}: {
  request: SummaryRequest;
  text: string;
  countTokens: (message: Message) => number;
}): Summary | undefined {
  const words = text.trim();
  if (words === '') return undefined;
  let fitting = heading + words;
  for (let chars = fitting.length; tokensOf(fitting, countTokens) > request.maxTokens; ) {
    chars = Math.floor(chars * 0.9);
    if (chars < heading.length * 2) return undefined;
    fitting = heading + cutText(words, chars - heading.length, savedSpace);
  }
  return { replaces: request.entries, text: fitting };
}

/**
 * The window with one summary in the place, and with the id, of the last entry it replaces: after
 * the inputs it speaks of and before what is newer. Inputs are never replaced. When none of the
 * entries is there any more, nothing changes.
 */
export function applySummary(
  window: readonly ContextEntry[],
  { replaces, text }: Summary,
): readonly ContextEntry[] {
  const ids = new Set(replaces);
  const isReplaced = (entry: ContextEntry) => entry.kind !== 'input' && ids.has(entry.id);
  const last = window.findLastIndex(isReplaced);
  const next: ContextEntry[] = [];
  window.forEach((entry, at) => {
    if (at === last) next.push({ ...entry, kind: 'summary', message: userMessage(text) });
    else if (!isReplaced(entry)) next.push(entry);
  });
  return next;
}

function tokensOf(text: string, countTokens: (message: Message) => number): number {
  return countTokens(userMessage(text));
}
