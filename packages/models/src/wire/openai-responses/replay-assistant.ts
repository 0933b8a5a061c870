import type { AssistantPart, JsonObject } from '@forge/core';
import { type Draft, draftItems } from './assistant-drafts.ts';
import { replayReasoning } from './reasoning-item.ts';

/**
 * An assistant message → input items. Ids travel together or not at all: an item goes under its
 * id only if the reasoning it was written after does too, and the other way round.
 */
export function replayAssistant(parts: readonly AssistantPart[]): JsonObject[] {
  const drafts = draftItems(parts);
  const sentReasoning = new Set<unknown>();
  return drafts.flatMap((draft, index): JsonObject[] => {
    switch (draft.kind) {
      case 'reasoning': {
        const item = reasoningItem(draft, drafts.slice(index + 1));
        if (item?.id !== undefined) sentReasoning.add(item.id);
        return item === undefined ? [] : [item];
      }
      case 'message':
        return [{ ...settled(draft, sentReasoning), content: draft.content }];
      case 'call':
        return [settled(draft, sentReasoning)];
      case 'opaque':
        return [draft.item];
      default:
        return draft satisfies never;
    }
  });
}

/**
 * What was read whole goes back as it was. What was streamed may have lost the ids of its texts:
 * then the reasoning goes without its id too, on the strength of its proof alone, or not at all.
 */
function reasoningItem(
  { part }: Extract<Draft, { kind: 'reasoning' }>,
  after: readonly Draft[],
): JsonObject | undefined {
  const replay = replayReasoning(part);
  if (replay === undefined || !replay.streamed) return replay?.item;
  const end = after.findIndex(({ kind }) => kind === 'reasoning');
  const dependents = end === -1 ? after : after.slice(0, end);
  if (dependents.length > 0 && dependents.every(hasId)) return replay.item;
  const { id: _, ...item } = replay.item;
  return typeof item.encrypted_content === 'string' ? item : undefined;
}

function hasId(draft: Draft): boolean {
  return draft.kind !== 'reasoning' && draft.item.id !== undefined;
}

function settled(
  draft: Extract<Draft, { kind: 'message' | 'call' }>,
  sentReasoning: ReadonlySet<unknown>,
): JsonObject {
  const { item, needs } = draft;
  if (item.id === undefined) return item;
  if (needs === undefined || sentReasoning.has(needs)) return { status: 'completed', ...item };
  const { id: _, ...rest } = item;
  return rest;
}
