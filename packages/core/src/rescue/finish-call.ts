import { ForgeError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { checkArguments } from '../schema/check-arguments.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile-schema.ts';
import { formatPath } from '../schema/format-path.ts';
import { placeholderIn } from './placeholder.ts';
import { isPadded } from './read-bareword.ts';
import type { Confidence, RescuedCall } from './rescue-types.ts';
import { soundJson } from './sound-json.ts';
import type { ResolvedName, ToolFacts } from './tool-index.ts';
import { ValueParser } from './value-parser.ts';

/** A call with its tool known and its arguments an object, not yet fitted to the schema. */
export interface RawCall {
  readonly resolved: ResolvedName;
  readonly args: JsonObject;
  /** The model's own JSON text of the arguments, where that was valid. */
  readonly text?: string;
  readonly id?: string;
  readonly format: string;
  readonly repairs: Iterable<string>;
  readonly confidence: Confidence;
}

export interface FinishedCall {
  readonly call: RescuedCall;
  /** The arguments satisfy the schema. */
  readonly fits: boolean;
  readonly problem?: 'placeholder argument';
}

/** Fits the arguments to the tool's schema and settles text, repairs and confidence. */
export function finishCall(raw: RawCall): FinishedCall {
  const { tool, repair } = raw.resolved;
  const repairs = [...raw.repairs];
  if (repair !== undefined) repairs.push(repair);
  let { args } = raw;
  let fits = true;
  let coerced = false;
  const schema = compiled(tool);
  if (schema !== undefined && !schema.accepts(args)) {
    args = withoutPadding(args, tool);
    coerced = args !== raw.args;
    if (coerced) repairs.push('number');
    const check = checkArguments(schema, args);
    fits = check.ok;
    args = check.args;
    for (const { path } of check.repairs) repairs.push(`coerced:${formatPath(path)}`);
    coerced ||= check.repairs.length > 0;
  }
  const text = coerced || raw.text === undefined ? JSON.stringify(args) : raw.text;
  const problem = placeholderIn(args) === undefined ? undefined : 'placeholder argument';
  return {
    call: {
      name: tool.name,
      args,
      argsText: text,
      ...(raw.id === undefined ? {} : { id: raw.id }),
      format: raw.format,
      repairs,
      confidence: raw.confidence,
    },
    fits,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** `07` where the schema wants a number and no string; the same object if there is none. */
function withoutPadding(args: JsonObject, tool: ToolFacts): JsonObject {
  const isNumber = (key: string): boolean => {
    const types = tool.typesOf(key);
    return types?.has('string') === false && (types.has('integer') || types.has('number'));
  };
  const padded = Object.keys(args).filter((key) => isPadded(args[key]) && isNumber(key));
  return padded.length === 0
    ? args
    : { ...args, ...Object.fromEntries(padded.map((key) => [key, Number(args[key])])) };
}

const schemas = new WeakMap<ToolFacts, CompiledSchema | null>();

/** A schema that is none is the tool author's fault and shown elsewhere; here it checks nothing. */
function compiled(tool: ToolFacts): CompiledSchema | undefined {
  const known = schemas.get(tool);
  if (known !== undefined) return known ?? undefined;
  let schema: CompiledSchema | undefined;
  try {
    if (tool.schema !== undefined) schema = compileSchema(tool.schema);
  } catch (error) {
    if (!ForgeError.is(error)) throw error;
  }
  schemas.set(tool, schema ?? null);
  return schema;
}

export interface Arguments {
  readonly args: JsonObject;
  readonly text?: string;
  readonly repairs: readonly string[];
}

/**
 * What a model put where an object of arguments belongs, as that object: JSON in a string, once
 * or twice over; null or nothing; a list of one; a list of `{name, value}`; one bare value for a
 * tool of one parameter. Undefined where no object can be made of it.
 */
export function argumentsFrom(
  value: JsonValue | undefined,
  tool: ToolFacts,
): Arguments | undefined {
  if (isJsonObject(value)) return { args: value, repairs: [] };
  if (value === undefined || value === null) return { args: {}, text: '{}', repairs: [] };
  if (typeof value === 'string') return fromString(value, tool, 0);
  if (Array.isArray(value)) {
    const [first] = value;
    if (value.length === 0) return { args: {}, repairs: ['list_of_arguments'] };
    if (value.length === 1 && isJsonObject(first) && !isPair(first)) {
      return { args: first, repairs: ['list_of_arguments'] };
    }
    if (value.every(isPair)) {
      const pairs = value.map(
        (pair) => [String(pair.name ?? pair.key), pair.value ?? null] as const,
      );
      return { args: Object.fromEntries(pairs), repairs: ['list_of_arguments'] };
    }
  }
  return singleInput(value, tool);
}

function fromString(value: string, tool: ToolFacts, depth: number): Arguments | undefined {
  const text = value.trim();
  if (text === '') return { args: {}, text: '{}', repairs: ['arguments_string'] };
  const sound = soundJson(text);
  if (isJsonObject(sound)) return { args: sound, text, repairs: ['arguments_string'] };
  if (text.startsWith('{') || text.startsWith('"') || text.startsWith("'")) {
    const parser = new ValueParser(text);
    const inner = parser.read(0);
    const whole = !parser.broken && parser.cut === 'no' && !parser.placeholder;
    if (whole && isJsonObject(inner)) {
      const clean = parser.repairs.size === 0 && parser.pos === text.length;
      const repairs = ['arguments_string', ...parser.repairs];
      return { args: inner, ...(clean ? { text } : {}), repairs };
    }
    if (whole && typeof inner === 'string' && depth < 3 && inner !== value) {
      return fromString(inner, tool, depth + 1);
    }
    if (text.startsWith('{')) return undefined;
  }
  return singleInput(value, tool);
}

/** One bare value for a tool that has one parameter, or needs just one. */
export function singleInput(value: JsonValue, tool: ToolFacts): Arguments | undefined {
  const [only] = tool.required.length === 1 ? tool.required : tool.properties;
  if (only === undefined) return undefined;
  if (tool.required.length !== 1 && tool.properties.length !== 1) return undefined;
  const types = tool.typesOf(only);
  if (typeof value === 'string' && types !== undefined && !types.has('string')) return undefined;
  return { args: { [only]: value }, repairs: ['single_input'] };
}

function isPair(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'value')) return false;
  return typeof (value.name ?? value.key) === 'string' && Object.keys(value).length <= 3;
}
