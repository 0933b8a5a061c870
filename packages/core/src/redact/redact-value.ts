import type { Happening } from '../kernel/events.ts';
import type { Redactor } from './create-redactor.ts';

/** Names and numbers of things: to change one would tear apart what belongs together. */
const keptFields: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'callId',
  'callIds',
  'again',
  'idempotencyKey',
  'name',
  'agent',
  'model',
  // What only a provider understands, and what it has signed, goes back to it as it came.
  'provider',
  'signature',
]);

/** What a model or a person made up freely: every text in it is looked at. */
const freeFields: ReadonlySet<string> = new Set(['args', 'argsText', 'proposed', 'answer']);

/** Deeper than anybody nests; what is deeper is looked at as one text. */
const deepest = 200;

/**
 * A happening as a log may keep it: texts, arguments, results and errors without secrets. Images,
 * opaque parts, signatures and reasoning that is signed stay as they are. The very same object if
 * nothing was found, so that what a writer folds is what a reader of its log folds.
 */
export function redactHappening(redactor: Redactor, happening: Happening): Happening {
  const clean = cleanBy.get(redactor) ?? new WeakSet();
  if (clean.has(happening)) return happening;
  const redacted = redactParts(redactor, happening);
  clean.add(redacted);
  cleanBy.set(redactor, clean);
  return redacted;
}

/** What came out of a redactor: its writer folds it, and the store that then keeps it asks again. */
const cleanBy = new WeakMap<Redactor, WeakSet<Happening>>();

/** As `redactHappening`, for anything made of messages and their parts. */
export function redactParts<T>(redactor: Redactor, value: T): T {
  // Only texts are replaced, by texts.
  return walk(redactor, value, { free: false, depth: 0 }) as T;
}

/** Every text in a JSON value without secrets. */
export function redactJson<T>(redactor: Redactor, value: T): T {
  return walk(redactor, value, { free: true, depth: 0 }) as T;
}

interface Place {
  readonly free: boolean;
  readonly depth: number;
}

function walk(redactor: Redactor, value: unknown, { free, depth }: Place): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (!isObject(value)) return value;
  if (!free && isSealed(value)) return value;
  if (depth > deepest) return asOneText(redactor, value);
  const place = { free, depth: depth + 1 };
  if (Array.isArray(value)) return walkList(redactor, value, place);
  return walkFields(redactor, value, place);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function walkList(redactor: Redactor, list: readonly unknown[], place: Place): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const clean = walk(redactor, list[index], place);
    if (Object.is(clean, list[index])) continue;
    changed ??= [...list];
    changed[index] = clean;
  }
  return changed ?? list;
}

/** Copies nothing before something is found: nearly always nothing is. */
function walkFields(
  redactor: Redactor,
  fields: { readonly [name: string]: unknown },
  place: Place,
): object {
  let changed: Map<string, readonly [name: string, item: unknown]> | undefined;
  for (const name of Object.keys(fields)) {
    if (!place.free && keptFields.has(name)) continue;
    const item = fields[name];
    const free = place.free || freeFields.has(name);
    const clean = walk(redactor, item, free === place.free ? place : { ...place, free });
    const cleanName = place.free ? redactor.redact(name) : name;
    if (Object.is(clean, item) && cleanName === name) continue;
    changed ??= new Map();
    changed.set(name, [cleanName, clean]);
  }
  if (changed === undefined) return fields;
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map((entry) => changed.get(entry[0]) ?? entry));
}

/** A part that must come back to its provider exactly as it was. */
function isSealed(value: object): boolean {
  if (!('type' in value)) return false;
  if (value.type === 'image' || value.type === 'opaque') return true;
  return value.type === 'reasoning' && ('signature' in value || 'provider' in value);
}

function asOneText(redactor: Redactor, value: object): unknown {
  try {
    const text = JSON.stringify(value);
    return redactor.redact(text) === text ? value : '[redacted:nested]';
  } catch {
    return value; // No JSON: whoever writes it will say so.
  }
}

const marks = /\[redacted:[a-z-]{1,40}\]/;

/** Whether something was taken out of it: such arguments are not what was meant. */
export function holdsRedacted(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return marks.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > deepest) return marks.test(JSON.stringify(value));
  return Object.entries(value).some(
    ([name, item]) => marks.test(name) || holdsRedacted(item, depth + 1),
  );
}
