import type { AssistantPart, JsonObject } from '@forge/core';
import { draftItems } from './assistant-drafts.ts';
import type { ItemIds } from './item-ids.ts';
import { showReasoning } from './reasoning-item.ts';

/** A reply's parts → output items, each with an id and a status as clients expect. */
export function showAssistant(parts: readonly AssistantPart[], ids: ItemIds): JsonObject[] {
  return draftItems(parts).map((draft): JsonObject => {
    switch (draft.kind) {
      case 'reasoning':
        return showReasoning(draft.part, (id) => ids.claim('rs', id));
      case 'message':
        return showMessage(draft.item, draft.content, ids);
      case 'call':
        return showCall(draft.item, ids);
      case 'opaque':
        return ids.claimFor(draft.item);
      default:
        return draft satisfies never;
    }
  });
}

function showMessage(item: JsonObject, content: readonly JsonObject[], ids: ItemIds): JsonObject {
  const id = ids.claim('msg', idOf(item));
  return { status: 'completed', ...item, id, content };
}

export function showCall(item: JsonObject, ids: ItemIds): JsonObject {
  const callId = typeof item.call_id === 'string' ? item.call_id : undefined;
  return {
    status: 'completed',
    ...item,
    id: ids.claim('fc', idOf(item)),
    call_id: ids.claim('call', callId),
  };
}

function idOf(item: JsonObject): string | undefined {
  return typeof item.id === 'string' ? item.id : undefined;
}
