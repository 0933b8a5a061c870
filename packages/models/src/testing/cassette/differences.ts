import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

const most = 5;
const longest = 60;

/** Where two values differ, a line each: the path, what there was, what there is. */
export function differences(was: JsonValue, is: JsonValue): readonly string[] {
  const lines: string[] = [];
  let more = 0;
  for (const line of compare(was, is, '')) {
    if (lines.length < most) lines.push(line);
    else more += 1;
  }
  return more === 0 ? lines : [...lines, `… and ${more} more`];
}

function* compare(
  was: JsonValue | undefined,
  is: JsonValue | undefined,
  path: string,
): Generator<string> {
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let at = 0; at < Math.max(was.length, is.length); at++) {
      yield* compare(was[at], is[at], `${path}[${at}]`);
    }
  } else if (isJsonObject(was) && isJsonObject(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      yield* compare(own(was, name), own(is, name), path === '' ? name : `${path}.${name}`);
    }
  } else if (was !== is) {
    const from = typeof was === 'string' && typeof is === 'string' ? firstDifference(was, is) : 0;
    yield `${path}: recorded ${show(was, from)}, now ${show(is, from)}`;
  }
}

function own(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function show(value: JsonValue | undefined, from: number): string {
  if (value === undefined) return 'nothing';
  if (typeof value !== 'string') return cut(JSON.stringify(value));
  // Long texts are shown from a little before the place where they part.
  const start = from > longest / 2 ? from - longest / 4 : 0;
  return `${start > 0 ? '…' : ''}${cut(JSON.stringify(value.slice(start, start + longest * 2)))}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function firstDifference(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
