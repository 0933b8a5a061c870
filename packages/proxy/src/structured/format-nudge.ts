import {
  type CompiledSchema,
  exampleFromSchema,
  isJsonObject,
  type JsonSchema,
  type SchemaIssue,
} from '@forge/core';
import { placeOf } from './place-of.ts';

/** Characters of an example that are worth the tokens. */
const LONGEST_EXAMPLE = 2_000;
const LONGEST_FAULT = 300;
const MOST_NAMES = 20;

/** What was wrong with a reply that had to be JSON. */
export type FormatFault =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not_json'; readonly reason: string }
  | { readonly kind: 'several'; readonly count: number }
  | { readonly kind: 'does_not_fit'; readonly issues: readonly SchemaIssue[] };

/** What the model is told: the fault, what is expected, and one right example. */
export function formatNudge(fault: FormatFault, shape: CompiledSchema): string {
  return (
    `[BadFormat] Your reply was not used: ${wordsFor(fault)}. ` +
    `Reply with one JSON value alone, no words and no code fence around it.${exampleFor(shape)}`
  );
}

function wordsFor(fault: FormatFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'it is empty, and JSON was asked for';
    case 'not_json':
      return `it is not valid JSON (${cut(fault.reason, LONGEST_FAULT)})`;
    case 'several':
      return `it holds ${fault.count} JSON values, and one was asked for`;
    case 'does_not_fit': {
      const faults = fault.issues.map(({ path, message }) =>
        cut(`${placeOf(path)}: ${message}`, LONGEST_FAULT),
      );
      return `it does not fit. ${faults.join('; ')}`;
    }
    default:
      return fault satisfies never;
  }
}

function exampleFor(shape: CompiledSchema): string {
  const example = rightExample(shape);
  if (example !== undefined) {
    const shown = JSON.stringify(example);
    if (shown.length <= LONGEST_EXAMPLE) return ` For example: ${shown}`;
  }
  const names = requiredNames(shape.schema);
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMES ? `, … (${names.length} in all)` : '';
  return ` It needs: ${names.slice(0, MOST_NAMES).map(quote).join(', ')}${more}.`;
}

/** Examples are made for objects; that of a list is made as a property of one. */
function rightExample(shape: CompiledSchema): unknown {
  const { schema } = shape;
  const own = exampleFromSchema(schema);
  if (shape.accepts(own)) return Object.keys(own).length > 0 ? own : undefined;
  if (JSON.stringify(schema).includes('"$')) return undefined; // Its references would lead nowhere.
  const { value } = exampleFromSchema({
    type: 'object',
    properties: { value: schema },
    required: ['value'],
  });
  return shape.accepts(value) ? value : undefined;
}

function requiredNames(schema: JsonSchema): string[] {
  if (!isJsonObject(schema) || !Array.isArray(schema.required)) return [];
  return schema.required.filter((name) => typeof name === 'string');
}

function quote(name: string): string {
  return JSON.stringify(cut(name, 100));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
