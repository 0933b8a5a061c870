import {
  type CompiledSchema,
  checkArguments,
  compileSchema,
  ForgeError,
  isJsonObject,
  type JsonSchema,
  mendJson,
  splitReasoning,
} from '@forge/core';
import type { ResponseFormat } from '@forge/models';
import { findJson, insideFence } from './find-json.ts';
import { type FormatFault, formatNudge } from './format-nudge.ts';
import { isExact } from './is-exact.ts';
import { placeOf } from './place-of.ts';

export type StructuredCheck =
  /** `text` is as it came where nothing was `mended`. */
  | { readonly ok: true; readonly text: string; readonly mended: readonly string[] }
  /** `nudge` tells the model what to do about it. */
  | { readonly ok: false; readonly nudge: string };

/** `checkStructured` with its compiler: what a turn needs. */
export type FormatCheck = (format: ResponseFormat, text: string) => StructuredCheck;

/**
 * Whether a reply has the form the request asked for: an object, or what fits a schema. A schema
 * that cannot be compiled asks for JSON only: the backend may know better.
 *
 * What is around the JSON is taken away, and damage is mended where that loses and invents
 * nothing and there is one way to do it; else the model is told. For whole replies: one cut off
 * by the length limit may look whole once its brackets are closed. Never throws.
 */
export function checkStructured({
  format,
  text,
  compile,
}: {
  readonly format: ResponseFormat;
  readonly text: string;
  readonly compile: (schema: JsonSchema) => CompiledSchema;
}): StructuredCheck {
  const shape = shapeOf(format, compile);
  const whole = parse(text);
  if (whole.ok && shape.accepts(whole.value)) return { ok: true, text, mended: [] };
  const checked = whole.ok ? mend(shape, text) : takeOut(shape, text);
  if (checked.ok) return checked;
  return { ok: false, nudge: formatNudge(checked.fault, shape) };
}

type Attempt =
  | Extract<StructuredCheck, { ok: true }>
  | { readonly ok: false; readonly fault: FormatFault };

const anyObject: JsonSchema = { type: 'object' };

function shapeOf(
  format: ResponseFormat,
  compile: (schema: JsonSchema) => CompiledSchema,
): CompiledSchema {
  if (format.type === 'json') return compileSchema(anyObject);
  try {
    return compile(format.schema);
  } catch (error) {
    if (ForgeError.is(error, 'invalid_schema')) return compileSchema(true);
    throw error;
  }
}

const unfenced = 'took the JSON out of a code fence';
const unwrapped = 'took the JSON out of the text around it';
const unthought = 'left the reasoning out of the answer';

/** The one JSON value in a text that holds more than that: as it is written there, or mended. */
function takeOut(shape: CompiledSchema, text: string): Attempt {
  const { rest: said, reasoning } = splitReasoning(text);
  if (said === '') return { ok: false, fault: { kind: 'empty' } };
  const before = reasoning === '' ? [] : [unthought];
  // Without reasoning, what was around it is a byte order mark or the like.
  if (fits(shape, said))
    return { ok: true, text: said, mended: reasoning === '' ? [unwrapped] : before };
  const fenced = insideFence(said);
  if (fenced !== undefined) {
    if (fits(shape, fenced))
      return { ok: true, text: fenced.trim(), mended: [...before, unfenced] };
    if (fenced.startsWith('{')) {
      const inside = mend(shape, fenced, [...before, unfenced]);
      if (inside.ok) return inside;
    }
  }
  const { values, isUnsure } = findJson(said);
  if (isUnsure) return mend(shape, said, before);
  const fitting = [...new Set(values.filter((value) => fits(shape, value)))];
  const [only] = fitting;
  if (fitting.length > 1) return { ok: false, fault: { kind: 'several', count: fitting.length } };
  if (only !== undefined) return { ok: true, text: only, mended: [...before, unwrapped] };
  return mendOnly(shape, { said, values, before });
}

/** None fits as it is. Which of several objects to mend nobody can say. */
function mendOnly(
  shape: CompiledSchema,
  found: {
    readonly said: string;
    readonly values: readonly string[];
    readonly before: readonly string[];
  },
): Attempt {
  const { said, values, before } = found;
  const objects = values.filter((value) => value.startsWith('{') && value.includes(':'));
  if (objects.length > 1) return { ok: false, fault: { kind: 'several', count: objects.length } };
  const [only = said] = objects;
  return mend(shape, only, only === said ? before : [...before, unwrapped]);
}

/** Mends the text of one object and what is in it. */
function mend(shape: CompiledSchema, text: string, before: readonly string[] = []): Attempt {
  const parsed = parse(text);
  if (parsed.ok && !mayHoldObject(parsed.value)) {
    return { ok: false, fault: { kind: 'does_not_fit', issues: shape.issues(parsed.value) } };
  }
  const mended = parsed.ok ? undefined : mendJson(text);
  if (!parsed.ok && mended === undefined) {
    return { ok: false, fault: { kind: 'not_json', reason: parsed.reason } };
  }
  const checked = checkArguments(shape, mended === undefined ? text : mended.value);
  if (!checked.ok) return { ok: false, fault: { kind: 'does_not_fit', issues: checked.issues } };
  if (!isExact(checked.args)) {
    const fault: FormatFault = parsed.ok
      ? { kind: 'does_not_fit', issues: shape.issues(parsed.value) }
      : { kind: 'not_json', reason: parsed.reason };
    return { ok: false, fault };
  }
  const repairs = [
    ...damageOf(mended),
    ...checked.repairs.map(({ path, message }) => `${placeOf(path)}: ${message}`),
  ];
  return { ok: true, text: JSON.stringify(checked.args), mended: [...before, ...repairs] };
}

/** A bracket missing at the very end is mended without a word. */
function damageOf(mended: ReturnType<typeof mendJson>): string[] {
  if (mended === undefined) return [];
  const { repairs } = mended;
  return repairs.size === 0
    ? ['JSON: missing_closer']
    : [...repairs].map((name) => `JSON: ${name}`);
}

/** An object, or one that was written as text once more. Nothing is made of `null` or `""`. */
function mayHoldObject(value: unknown): boolean {
  return isJsonObject(value) || (typeof value === 'string' && value.trimStart().startsWith('{'));
}

function fits(shape: CompiledSchema, text: string): boolean {
  const parsed = parse(text);
  return parsed.ok && shape.accepts(parsed.value);
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'not JSON' };
  }
}
