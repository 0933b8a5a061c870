import { isJsonObject, type JsonObject } from '../json.ts';
import { arrayCheck } from './array-check.ts';
import { inPlaceChecks } from './in-place-checks.ts';
import {
  ANY_TYPE,
  ARRAY,
  BOOLEAN,
  describeTypes,
  INTEGER,
  NUMBER,
  OBJECT,
  STRING,
  typeOf,
} from './json-type.ts';
import { numberCheck } from './number-check.ts';
import { objectCheck } from './object-check.ts';
import type { Check, SchemaNode } from './schema-node.ts';
import { stringCheck } from './string-check.ts';

type Accepts = (value: unknown) => boolean;

/** The checks a value gets by its own type. */
interface TypedChecks {
  readonly string: Check<string> | undefined;
  readonly number: Check<number> | undefined;
  readonly array: Check<readonly unknown[]> | undefined;
  readonly object: Check<JsonObject> | undefined;
}

/** Gives a node that has been read its `accepts` and `explain`. Its children have theirs. */
export function buildChecks(node: SchemaNode): void {
  if (typeof node.source === 'boolean') {
    const answer = node.source;
    node.accepts = () => answer;
    node.explain = (value, sink) => {
      if (!answer) sink.add('false', 'must not be given', value);
    };
    return;
  }
  const typed: TypedChecks = {
    string: node.string && stringCheck(node.string),
    number: node.number && numberCheck(node.number),
    array: node.array && arrayCheck(node.array),
    object: node.object && objectCheck(node.object),
  };
  const others = inPlaceChecks(node);
  const accepts = join([typedAccepts(node.types, typed), ...others.map((check) => check.accepts)]);
  node.accepts = node.alsoNull ? (value) => value === null || accepts(value) : accepts;
  node.explain = (value, sink) => {
    if (node.alsoNull && value === null) return;
    if (node.types !== ANY_TYPE && (typeOf(value) & node.types) === 0) {
      sink.add('type', `must be ${describeTypes(node.types)}`, value);
      return;
    }
    if (typeof value === 'string') typed.string?.explain(value, sink);
    else if (typeof value === 'number') typed.number?.explain(value, sink);
    else if (Array.isArray(value)) typed.array?.explain(value, sink);
    else if (isJsonObject(value)) typed.object?.explain(value, sink);
    for (const check of others) {
      if (sink.full) return;
      check.explain(value, sink);
    }
  };
}

/** The cheapest function that asks for these types and their rules; undefined if there are none. */
function typedAccepts(types: number, typed: TypedChecks): Accepts | undefined {
  const { string, number, array, object } = typed;
  const text = string?.accepts;
  const items = array?.accepts;
  const parts = object?.accepts;
  switch (types) {
    case STRING:
      return text === undefined ? isString : (value) => typeof value === 'string' && text(value);
    case ARRAY:
      return items === undefined ? Array.isArray : (value) => Array.isArray(value) && items(value);
    case OBJECT:
      return parts === undefined ? isJsonObject : (value) => isJsonObject(value) && parts(value);
    case BOOLEAN:
      return isBoolean;
    case NUMBER:
      if (number === undefined) return Number.isFinite;
      return (value) =>
        typeof value === 'number' && Number.isFinite(value) && number.accepts(value);
    case INTEGER:
      if (number === undefined) return Number.isInteger;
      return (value) =>
        typeof value === 'number' && Number.isInteger(value) && number.accepts(value);
    default:
      return mixedAccepts(types, typed);
  }
}

function mixedAccepts(types: number, typed: TypedChecks): Accepts | undefined {
  const { string, number, array, object } = typed;
  const hasRules = [string, number, array, object].some((check) => check !== undefined);
  if (types === ANY_TYPE && !hasRules) return undefined;
  const isAny = types === ANY_TYPE;
  return (value) => {
    if (!isAny && (typeOf(value) & types) === 0) return false;
    switch (typeof value) {
      case 'string':
        return string === undefined || string.accepts(value);
      case 'number':
        return number === undefined || number.accepts(value);
      case 'object':
        if (Array.isArray(value)) return array === undefined || array.accepts(value);
        return object === undefined || !isJsonObject(value) || object.accepts(value);
      default:
        return true;
    }
  };
}

/** All of them, without a loop where one is enough. */
function join(given: readonly (Accepts | undefined)[]): Accepts {
  const all = given.filter((each) => each !== undefined);
  const [first, second] = all;
  if (first === undefined) return always;
  if (second === undefined) return first;
  if (all.length === 2) return (value) => first(value) && second(value);
  return (value) => {
    for (const accepts of all) if (!accepts(value)) return false;
    return true;
  };
}

const always = () => true;
const isString = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
