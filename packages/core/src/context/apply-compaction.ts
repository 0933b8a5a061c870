import { userMessage } from '../messages/message.ts';
import type { Change, CompactionPlan } from './compaction.ts';
import type { ContextEntry } from './entry.ts';
import { withParts } from './sent-window.ts';

/**
 * The window after a plan. Total: changes for entries that are no longer there do nothing, and
 * inputs stay whatever the plan says. A note keeps the id and the place of the entry it stands for.
 */
export function applyCompaction(
  window: readonly ContextEntry[],
  { changes }: Pick<CompactionPlan, 'changes'>,
): readonly ContextEntry[] {
  const byEntry = new Map(changes.map((change) => [change.entry, change]));
  const next: ContextEntry[] = [];
  for (const entry of window) {
    const change = entry.kind === 'input' ? undefined : byEntry.get(entry.id);
    const changed = change === undefined ? entry : applyChange(entry, change);
    if (changed !== undefined) next.push(changed);
  }
  return next;
}

function applyChange(entry: ContextEntry, change: Change): ContextEntry | undefined {
  switch (change.action) {
    case 'drop':
      return undefined;
    case 'replace':
      return { ...entry, message: change.message };
    case 'drop_reasoning':
      if (entry.message.role !== 'assistant') return entry;
      return withParts(entry, entry.message, (part) => part.type !== 'reasoning');
    case 'note':
      return { ...entry, kind: 'summary', message: userMessage(change.text) };
    default:
      return change satisfies never;
  }
}
