import { ForgeError } from '@forge/core';

/** A place in the feed: the transaction of an event, and the event's position within it. */
export interface FeedPlace {
  readonly tx: string;
  readonly position: number;
}

const start: FeedPlace = { tx: '0', position: 0 };

export function writeFeedCursor({ tx, position }: FeedPlace): string {
  return `${tx}.${position}`;
}

export function readFeedCursor(text: string | undefined): FeedPlace {
  if (text === undefined) return start;
  const [, tx, position] = /^(\d{1,19})\.(\d{1,16})$/.exec(text) ?? [];
  if (tx !== undefined && position !== undefined) return { tx, position: Number(position) };
  throw new ForgeError('invalid_options', `"${text}" is not a cursor of this store's changes.`);
}
