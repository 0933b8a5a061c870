import type { Message } from '../messages/message.ts';
import type { Change, CorrectionReason } from './compaction.ts';
import type { Unit } from './units.ts';

/** Whether one change, seen by itself, may be made. The first reason against it, if there is one. */
export function admitChange({
  change,
  unit,
  message,
  countTokens,
}: {
  change: Change;
  unit: Unit;
  message: Message;
  countTokens: (message: Message) => number;
}): CorrectionReason | undefined {
  if (unit.kind === 'input') return 'input';
  switch (change.action) {
    case 'drop':
    case 'note':
    case 'drop_reasoning':
      return unit.live ? 'live' : undefined;
    case 'replace':
      if (unit.live && message.role !== 'tool') return 'live';
      if (shapeOf(change.message) !== shapeOf(message)) return 'shape';
      return countTokens(change.message) < countTokens(message) ? undefined : 'grows';
    default:
      return change satisfies never;
  }
}

/** What a message must keep when its content changes: its role, and the ids and names it carries. */
function shapeOf(message: Message): string {
  const names: string[] = [message.role];
  for (const part of message.content) {
    if (part.type === 'tool_call') names.push(part.id, part.name);
    if (part.type === 'tool_result') names.push(part.callId, part.name);
  }
  return JSON.stringify(names);
}
