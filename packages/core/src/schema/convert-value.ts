import { exactNumber } from './decimal.ts';
import { describeValue } from './describe-value.ts';
import {
  ARRAY,
  BOOLEAN,
  describeTypes,
  NULL,
  NUMBER,
  OBJECT,
  STRING,
  typeOf,
} from './json-type.ts';
import { parseKeepingDigits } from './parse-json-text.ts';
import type { RepairKind } from './repair.ts';

export interface Conversion {
  readonly value: unknown;
  readonly kind: RepairKind;
  readonly message: string;
}

/**
 * The ways to read a value of the wrong type as one of the types that are due, without losing or
 * guessing anything. More than one way is the caller's to judge; mostly there is one or none.
 */
export function conversionsOf(value: unknown, due: number): Conversion[] {
  if (typeof value === 'string') return fromText(value, due);
  const found: Conversion[] = [];
  const add = adder(found, value);
  if (Array.isArray(value)) {
    if (value.length === 1) add(value[0], 'list_to_value');
    return found;
  }
  if (due & STRING) {
    if (typeof value === 'boolean') add(String(value), 'boolean_to_text');
    if (typeof value === 'number' && keepsItsDigits(value)) add(String(value), 'number_to_text');
  }
  if (due & ARRAY && value !== null && typeOf(value) !== 0) add([value], 'value_to_list');
  return found;
}

function fromText(text: string, due: number): Conversion[] {
  const found: Conversion[] = [];
  const add = adder(found, text);
  const trimmed = text.trim();
  const structure = structureIn(trimmed, due);
  if (structure !== undefined) {
    add(structure, 'json_text');
    return found;
  }
  const number = due & NUMBER ? exactNumber(trimmed) : undefined;
  if (number !== undefined && typeOf(number) & due) add(number, 'text_to_number');
  if (due & BOOLEAN && /^(?:true|True|TRUE)$/.test(trimmed)) add(true, 'text_to_boolean');
  if (due & BOOLEAN && /^(?:false|False|FALSE)$/.test(trimmed)) add(false, 'text_to_boolean');
  if (due & NULL && /^(?:null|None)$/.test(trimmed)) add(null, 'text_to_null');
  if (due & ARRAY && !mayBeSeveral(text)) add([text], 'value_to_list');
  return found;
}

/** The object or list a text holds, also where it was encoded twice. */
function structureIn(text: string, due: number): unknown {
  let inner = text;
  for (let layers = 0; layers < 3; layers++) {
    if (!/^[[{"]/.test(inner)) return undefined;
    const parsed = parseKeepingDigits(inner);
    if (!parsed.ok) return undefined;
    if (typeOf(parsed.value) & due & (OBJECT | ARRAY)) return parsed.value;
    if (typeof parsed.value !== 'string') return undefined;
    inner = parsed.value.trim();
  }
  return undefined;
}

/** "a, b" for a list of texts may be one item or two: that would be a guess. */
function mayBeSeveral(text: string): boolean {
  return text.trim() === '' || /[,;\n]/.test(text);
}

/** False for whole numbers that may have lost digits before we saw them. */
function keepsItsDigits(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

function adder(found: Conversion[], from: unknown) {
  return (value: unknown, kind: RepairKind) => {
    const message = `read ${describeValue(from)} as ${describeTypes(typeOf(value))}`;
    found.push({ value, kind, message });
  };
}
