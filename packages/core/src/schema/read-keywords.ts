import { MAX_SCHEMA_DEPTH } from './budget.ts';
import { describeLiteral } from './describe-value.ts';
import { isDeeperThan } from './equal-json.ts';
import { NULL, typeNamed, typeNames } from './json-type.ts';
import type { KeywordReader } from './keyword-reader.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { pointerToken } from './schema-document.ts';
import type {
  ArrayRules,
  NumberRules,
  ObjectRules,
  SchemaNode,
  StringRules,
} from './schema-node.ts';

/** Reads a schema that stands inside the one being read. */
export type Inside = (at: string, value: unknown) => SchemaNode;

const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

/** Fills a node from its keywords, but for its references. Unknown keywords are ignored. */
export function readKeywords(node: SchemaNode, read: KeywordReader, inside: Inside): void {
  readTypes(node, read);
  readLiterals(node, read);
  if (read.hasAny(stringKeywords)) node.string = readString(read);
  if (read.hasAny(numberKeywords)) node.number = readNumber(read);
  if (read.hasAny(arrayKeywords)) node.array = readArray(read, inside);
  if (read.hasAny(objectKeywords)) node.object = readObject(read, inside);
  if (read.hasAny(inPlaceKeywords)) readInPlace(node, read, inside);
}

const stringKeywords = new Set(['minLength', 'maxLength', 'pattern']);
const numberKeywords = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
const arrayKeywords = new Set([
  'items',
  'prefixItems',
  'contains',
  'minItems',
  'maxItems',
  'uniqueItems',
]);
const objectKeywords = new Set([
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependencies',
]);
const inPlaceKeywords = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

function readTypes(node: SchemaNode, read: KeywordReader): void {
  const type = read.raw('type');
  const isNullable = read.raw('nullable') === true;
  if (type === undefined) {
    node.alsoNull = isNullable;
    return;
  }
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  let types = isNullable ? NULL : 0;
  for (const name of names) {
    const bits = typeNamed(name);
    if (bits === undefined) {
      const problem = `is not a JSON type. Use one of: ${typeNames.join(', ')}.`;
      throw read.invalid('type', `${describeLiteral(name)} ${problem}`);
    }
    types |= bits;
  }
  if (names.length === 0) throw read.wrong('type', 'must name at least one type');
  node.types = types;
}

function readLiterals(node: SchemaNode, read: KeywordReader): void {
  const lists: (readonly unknown[])[] = [];
  const choices = read.list('enum');
  if (choices !== undefined) lists.push(choices);
  if (read.has('const')) lists.push([read.written('const')]);
  if (lists.some((list) => isDeeperThan(list, MAX_SCHEMA_DEPTH))) {
    throw read.invalid(choices === undefined ? 'const' : 'enum', 'it is nested too deep.');
  }
  [node.literals, node.moreLiterals] = lists;
}

function readString(read: KeywordReader): StringRules {
  const source = read.text('pattern');
  return {
    minLength: read.count('minLength', 0),
    maxLength: read.count('maxLength', POSITIVE_INFINITY),
    pattern: source === undefined ? undefined : patternOf(read, 'pattern', source),
  };
}

function patternOf(read: KeywordReader, at: string, source: string): Pattern {
  const pattern = compilePattern(source);
  if (pattern !== undefined) return pattern;
  throw read.invalid(at, `/${source}/ is not a regular expression JavaScript can read.`);
}

/** Draft-04 wrote `exclusiveMinimum: true` beside `minimum`; both ways are understood. */
function readNumber(read: KeywordReader): NumberRules {
  const minimum = read.number('minimum') ?? NEGATIVE_INFINITY;
  const maximum = read.number('maximum') ?? POSITIVE_INFINITY;
  const low = read.raw('exclusiveMinimum');
  const high = read.raw('exclusiveMaximum');
  const multipleOf = read.number('multipleOf');
  if (multipleOf !== undefined && multipleOf <= 0) {
    throw read.wrong('multipleOf', 'must be more than 0');
  }
  return {
    minimum,
    maximum,
    exclusiveMinimum:
      typeof low === 'boolean'
        ? only(low, minimum)
        : (read.number('exclusiveMinimum') ?? NEGATIVE_INFINITY),
    exclusiveMaximum:
      typeof high === 'boolean'
        ? -only(high, -maximum)
        : (read.number('exclusiveMaximum') ?? POSITIVE_INFINITY),
    multipleOf,
  };
}

function only(isExclusive: boolean, limit: number): number {
  return isExclusive ? limit : NEGATIVE_INFINITY;
}

/** `items` as a list is draft-07's `prefixItems`, with `additionalItems` for the rest. */
function readArray(read: KeywordReader, inside: Inside): ArrayRules {
  const isTuple = Array.isArray(read.raw('items'));
  const tuple = isTuple
    ? schemaList(read, 'items', inside)
    : schemaList(read, 'prefixItems', inside);
  return {
    prefix: tuple ?? [],
    items: schemaAt(read, isTuple ? 'additionalItems' : 'items', inside),
    contains: schemaAt(read, 'contains', inside),
    minContains: read.count('minContains', 1),
    maxContains: read.count('maxContains', POSITIVE_INFINITY),
    minItems: read.count('minItems', 0),
    maxItems: read.count('maxItems', POSITIVE_INFINITY),
    uniqueItems: read.flag('uniqueItems'),
  };
}

/** `required: true` on a property itself is draft-03; it says nothing that can be checked here. */
function readObject(read: KeywordReader, inside: Inside): ObjectRules {
  const dependentRequired = new Map<string, readonly string[]>();
  for (const keyword of ['dependentRequired', 'dependencies']) {
    for (const [name, value] of read.entries(keyword)) {
      if (!Array.isArray(value) && keyword === 'dependencies') continue;
      if (!Array.isArray(value) || !value.every((other) => typeof other === 'string')) {
        throw read.wrong(keyword, 'must hold arrays of property names');
      }
      dependentRequired.set(name, [...(dependentRequired.get(name) ?? []), ...value]);
    }
  }
  return {
    properties: schemaMap(read, 'properties', inside),
    patterns: [...schemaMap(read, 'patternProperties', inside)].map(([source, node]) => ({
      pattern: patternOf(read, 'patternProperties', source),
      node,
    })),
    additional: schemaAt(read, 'additionalProperties', inside),
    required: typeof read.raw('required') === 'boolean' ? [] : read.names('required'),
    dependentRequired,
    propertyNames: schemaAt(read, 'propertyNames', inside),
    minProperties: read.count('minProperties', 0),
    maxProperties: read.count('maxProperties', POSITIVE_INFINITY),
  };
}

function readInPlace(node: SchemaNode, read: KeywordReader, inside: Inside): void {
  node.allOf = schemaList(read, 'allOf', inside) ?? [];
  node.anyOf = schemaList(read, 'anyOf', inside);
  node.oneOf = schemaList(read, 'oneOf', inside);
  node.not = schemaAt(read, 'not', inside);
  node.condition = schemaAt(read, 'if', inside);
  if (node.condition !== undefined) {
    node.whenTrue = schemaAt(read, 'then', inside);
    node.whenFalse = schemaAt(read, 'else', inside);
  }
  const dependent = schemaMap(read, 'dependentSchemas', inside);
  for (const [name, value] of read.entries('dependencies')) {
    if (Array.isArray(value)) continue;
    dependent.set(name, inside(`dependencies/${pointerToken(name)}`, value));
  }
  if (dependent.size > 0) node.dependentSchemas = dependent;
  node.unevaluatedProperties = schemaAt(read, 'unevaluatedProperties', inside);
  node.unevaluatedItems = schemaAt(read, 'unevaluatedItems', inside);
}

function schemaAt(read: KeywordReader, keyword: string, inside: Inside): SchemaNode | undefined {
  const value = read.raw(keyword);
  return value === undefined ? undefined : inside(keyword, value);
}

function schemaList(
  read: KeywordReader,
  keyword: string,
  inside: Inside,
): SchemaNode[] | undefined {
  return read.list(keyword)?.map((value, index) => inside(`${keyword}/${index}`, value));
}

function schemaMap(read: KeywordReader, keyword: string, inside: Inside): Map<string, SchemaNode> {
  const nodes = new Map<string, SchemaNode>();
  for (const [name, value] of read.entries(keyword)) {
    nodes.set(name, inside(`${keyword}/${pointerToken(name)}`, value));
  }
  return nodes;
}
