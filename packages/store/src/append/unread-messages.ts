import { ForgeError } from '@forge/core';

/** Why a step that ends its run is not written. */
export function unreadMessages(runId: string): ForgeError {
  return new ForgeError(
    'unread_messages',
    `Run "${runId}" cannot end: something has come for it that was not read. Read its inbox, and try again.`,
  );
}
