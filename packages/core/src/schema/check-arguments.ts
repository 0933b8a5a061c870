import { isJsonObject, type JsonObject, nestsTooDeep } from '../json.ts';
import { LimitExceeded } from './budget.ts';
import { type CompiledSchema, compileSchema, type SchemaIssue } from './compile-schema.ts';
import { describeValue } from './describe-value.ts';
import { facetsOf } from './facets.ts';
import { parseJsonText, parseKeepingDigits } from './parse-json-text.ts';
import type { Repair } from './repair.ts';
import { type Repaired, repairValue } from './repair-value.ts';

export type { Repair, RepairKind } from './repair.ts';

export type ArgumentsCheck =
  | { readonly ok: true; readonly args: JsonObject; readonly repairs: readonly Repair[] }
  | {
      readonly ok: false;
      /** Why `args` cannot be used; never empty. */
      readonly issues: readonly SchemaIssue[];
      /** As near as repairs could bring them: what the issues are about. */
      readonly args: JsonObject;
      readonly repairs: readonly Repair[];
    };

const anyObject = compileSchema({ type: 'object' });
const NO_REPAIRS: readonly Repair[] = [];
const MAX_LAYERS = 3;

const tooDeep: ArgumentsCheck = {
  ok: false,
  issues: [{ path: [], keyword: 'limit', message: 'must not nest more than 100 levels deep' }],
  args: {},
  repairs: NO_REPAIRS,
};

/**
 * Checks a model's arguments for a tool: an object, or the JSON text of one (which is how many
 * wires carry them, so reading it once is no repair).
 *
 * Arguments that fit come back as they are, the same object. Others are repaired where that loses
 * and invents nothing and there is one way to do it; every repair is reported, and the result
 * fits. What is left are issues for the model. Never throws, and never fills in a default.
 */
export function checkArguments(schema: CompiledSchema, input: unknown): ArgumentsCheck {
  if (isJsonObject(input)) {
    if (nestsTooDeep(input)) return tooDeep;
    if (schema.accepts(input)) return { ok: true, args: input, repairs: NO_REPAIRS };
    return repairArguments(schema, input, NO_REPAIRS);
  }
  if (typeof input !== 'string') return repairArguments(schema, input, NO_REPAIRS);
  return checkText(schema, input);
}

function checkText(schema: CompiledSchema, input: string): ArgumentsCheck {
  let text = input.trim();
  for (let layer = 0; layer < MAX_LAYERS && text !== ''; layer++) {
    const repairs: Repair[] = [];
    if (layer > 0) {
      repairs.push({
        path: [],
        kind: 'json_text',
        message: 'read the arguments, which were JSON in a string',
      });
    }
    const parsed = parseJsonText(text);
    if (!parsed.ok) return notJson(text, parsed.reason);
    if (nestsTooDeep(parsed.value)) return tooDeep;
    if (isJsonObject(parsed.value) && schema.accepts(parsed.value)) {
      return { ok: true, args: parsed.value, repairs };
    }
    if (typeof parsed.value === 'string') {
      text = parsed.value.trim();
      continue;
    }
    const plain = repairArguments(schema, parsed.value, repairs);
    if (plain.ok || !parsed.inexact) return plain;
    const exact = checkKeepingDigits(schema, text, repairs);
    return exact?.ok ? exact : plain;
  }
  return text === ''
    ? repairArguments(schema, undefined, NO_REPAIRS)
    : notJson(text, 'text in text');
}

/** Ids past 2^53: their digits are still in the text, and a string can hold them. */
function checkKeepingDigits(
  schema: CompiledSchema,
  text: string,
  before: readonly Repair[],
): ArgumentsCheck | undefined {
  const parsed = parseKeepingDigits(text);
  if (!parsed.ok) return undefined;
  const message = 'kept a whole number past 2^53 as the text of its digits';
  return repairArguments(schema, parsed.value, [
    ...before,
    { path: [], kind: 'digits_kept', message },
  ]);
}

function notJson(text: string, reason: string): ArgumentsCheck {
  const message = `must be a JSON object, received ${describeValue(text)} (${reason})`;
  return {
    ok: false,
    issues: [{ path: [], keyword: 'json', message }],
    args: {},
    repairs: NO_REPAIRS,
  };
}

function repairArguments(
  schema: CompiledSchema,
  input: unknown,
  before: readonly Repair[],
): ArgumentsCheck {
  const isEmpty = input === undefined || input === null;
  const given = isEmpty ? {} : input;
  const repairs = isEmpty ? [...before, noArguments(input)] : before;
  const outer = tryRepair(schema, given);
  const inner = outer.fits ? undefined : unwrap(schema, given);
  const best = inner ?? outer;
  const all = [...repairs, ...best.repairs];
  if (best.fits && isJsonObject(best.value)) return { ok: true, args: best.value, repairs: all };
  if (!isJsonObject(best.value)) {
    return { ok: false, issues: anyObject.issues(best.value), args: {}, repairs };
  }
  return { ok: false, issues: schema.issues(best.value), args: best.value, repairs: all };
}

function noArguments(input: unknown): Repair {
  return {
    path: [],
    kind: 'empty_arguments',
    message: `no arguments were given (${describeValue(input)}): read as {}`,
  };
}

/** Twice at most: a repaired tag may turn an `if` and so bring other schemas into play. */
function tryRepair(schema: CompiledSchema, value: unknown): Repaired {
  const goal = [anyObject.root, schema.root];
  try {
    const first = repairValue(goal, value);
    if (first.fits || first.repairs.length === 0) return first;
    const second = repairValue(goal, first.value);
    return { ...second, repairs: [...first.repairs, ...second.repairs] };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { value, repairs: [], fits: false };
  }
}

const WRAPPERS = new Set(['arguments', 'args', 'input', 'parameters', 'params']);

/**
 * `{"arguments": {…}}`: only where the schema knows no property of that name. What is inside must
 * fit, or at least name a property of the schema, so that its issues are the ones that help.
 */
function unwrap(schema: CompiledSchema, value: unknown): Repaired | undefined {
  if (!isJsonObject(value)) return undefined;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !WRAPPERS.has(name)) return undefined;
  const { nodes, unions } = facetsOf([schema.root], value);
  const known = new Set(
    [...nodes, ...unions.flat()].flatMap(({ object }) => [...(object?.properties.keys() ?? [])]),
  );
  if (known.has(name)) return undefined;
  const inner = tryRepair(schema, value[name]);
  const isMeant =
    isJsonObject(inner.value) && Object.keys(inner.value).some((key) => known.has(key));
  if (!inner.fits && !isMeant) return undefined;
  const message = `took the arguments out of "${name}"`;
  return { ...inner, repairs: [{ path: [], kind: 'unwrapped', message }, ...inner.repairs] };
}
