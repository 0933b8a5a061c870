import { ForgeError } from '@forge/core';
import type { Page } from '../store.ts';

const longestPage = 1_000;
const usualPage = 100;

/** Every list is bounded, whatever is asked for. */
export function pageSize(limit: number | undefined): number {
  if (limit === undefined) return usualPage;
  if (!(limit >= 1))
    throw new ForgeError('invalid_options', `limit is ${limit}; it has to be 1 or more.`);
  return Math.min(Math.trunc(limit), longestPage);
}

/** Where a page ended: rows that come later, or go, do not move it. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

export function writePlace({ at, id }: Place): string {
  return `${at}:${id}`;
}

export function readPlace(after: string | undefined): Place | undefined {
  if (after === undefined) return undefined;
  const found = /^(\d+):([\s\S]+)$/.exec(after);
  if (found?.[1] !== undefined && found[2] !== undefined)
    return { at: Number(found[1]), id: found[2] };
  throw noPlace(after);
}

/** As `readPlace`, of rows that have numbers for ids. */
export function readNumberedPlace(
  after: string | undefined,
): { readonly at: number; readonly id: number } | undefined {
  const place = readPlace(after);
  if (after === undefined || place === undefined) return undefined;
  const id = Number(place.id);
  if (Number.isSafeInteger(id)) return { at: place.at, id };
  throw noPlace(after);
}

function noPlace(after: string): ForgeError {
  return new ForgeError('invalid_options', `"${after}" is not the \`next\` of a page.`);
}

/** A page from one row more than it holds: the row that tells whether there is another. */
export function toPage<Row, T>(
  rows: readonly Row[],
  options: {
    readonly size: number;
    readonly read: (row: Row) => T;
    readonly place: (row: Row) => Place;
  },
): Page<T> {
  const kept = rows.slice(0, options.size);
  const last = kept.at(-1);
  return {
    items: kept.map(options.read),
    next:
      rows.length > options.size && last !== undefined
        ? writePlace(options.place(last))
        : undefined,
  };
}
