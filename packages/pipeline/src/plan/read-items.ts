import { isJsonObject, type JsonValue } from '@forge/core';
import { findCycles, linksOf } from '../definition/links.ts';
import type { PipelineNode } from '../definition/pipeline-schema.ts';

export interface Item {
  readonly key: string;
  readonly value: JsonValue;
  /** Keys of the items it waits for. */
  readonly after: readonly string[];
}

export type Items =
  | {
      readonly ok: true;
      readonly items: readonly Item[] /** In an order that can be followed. */;
      readonly order: readonly number[];
    }
  | { readonly ok: false; readonly reason: string };

const mostItems = 200;
/** They become part of the ids of calls. */
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The items an `each` is about, or why they cannot be worked through. */
export function readItems(
  list: JsonValue | undefined,
  { key, after }: NonNullable<PipelineNode['each']>,
): Items {
  if (!Array.isArray(list)) return no('there is no list of items');
  if (list.length > mostItems) return no(`there are ${list.length} items, more than ${mostItems}`);
  const items: Item[] = [];
  const keys = new Set<string>();
  for (const [index, value] of (list as readonly JsonValue[]).entries()) {
    const name = key === undefined ? String(index) : textOf(propertyOf(value, key));
    if (name === undefined || !keyPattern.test(name)) {
      return no(
        `item ${index} has no usable ${JSON.stringify(key)}: letters, digits, ".", "_", "-"`,
      );
    }
    if (keys.has(name)) return no(`two items are called ${JSON.stringify(name)}`);
    keys.add(name);
    const before = after === undefined ? [] : propertyOf(value, after);
    const named = (Array.isArray(before) ? before : []).map(textOf);
    items.push({ key: name, value, after: [...new Set(named.map((one) => one ?? ''))] });
  }
  return inOrder(items, keys);
}

function inOrder(items: readonly Item[], keys: ReadonlySet<string>): Items {
  for (const { key, after } of items) {
    const unknown = after.find((name) => !keys.has(name));
    if (unknown !== undefined) {
      return no(`item ${key} waits for ${JSON.stringify(unknown)}, which is not an item`);
    }
  }
  const links = linksOf(
    items.flatMap(({ key, after }) => after.map((from) => ({ from, to: key }))),
  );
  const [cycle] = findCycles(links, [...keys], 1);
  if (cycle !== undefined) return no(`items wait for each other: ${cycle.join(' → ')}`);
  const indexOf = new Map(items.map(({ key }, index) => [key, index]));
  const order: number[] = [];
  const waiting = new Map(items.map(({ key, after }) => [key, after.length]));
  const next = items.filter(({ after }) => after.length === 0).map(({ key }) => key);
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    order.push(indexOf.get(at) ?? 0);
    for (const to of links.get(at) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) next.push(to);
    }
  }
  return { ok: true, items, order };
}

const no = (reason: string): Items => ({ ok: false, reason });

function propertyOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}
