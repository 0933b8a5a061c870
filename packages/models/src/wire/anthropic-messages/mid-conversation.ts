import type { JsonObject, SystemMessage } from '@forge/core';
import { fromProvider, ownFields } from './provider-fields.ts';

/**
 * Newer models take system messages between the others; older ones refuse them. A system message
 * that came so carries this mark among its provider fields and stays where it is. One without it
 * joins the system prompt.
 */
export const midConversation = { mid_conversation: true } as const;

export function isMidConversation(message: SystemMessage): boolean {
  return ownFields(message).mid_conversation === true;
}

export function withoutMark(message: SystemMessage): JsonObject {
  const { mid_conversation: _, ...fields } = fromProvider(message);
  return fields;
}
