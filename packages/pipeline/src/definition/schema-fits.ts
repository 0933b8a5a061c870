import { compileSchema } from '@forge/core';
import { describeType } from './describe-type.ts';
import {
  alternatives,
  isPlain,
  isSchema,
  literalsOf,
  type Plain,
  propertiesOf,
  requiredOf,
  type Typed,
  typeOf,
} from './json-type.ts';

const deepest = 8;

/**
 * Why values of one schema cannot be given where another is needed; undefined if they can. Looks at
 * types, listed values, properties and items, and not at lengths, ranges or patterns: those are
 * looked at when there is a value. What a schema does not say fits.
 */
export function misfit(from: Typed, to: Typed, at = '', depth = 0): string | undefined {
  if (depth > deepest) return undefined;
  const needed = alternatives(to);
  for (const given of alternatives(from)) {
    let first: string | undefined;
    const fits = needed.some((need) => {
      const why = plainMisfit({ given, from, need, to, at, depth });
      first ??= why;
      return why === undefined;
    });
    if (fits) continue;
    if (needed.length === 1 && first !== undefined) return first;
    const what = describeType({ schema: given, root: from.root });
    return `${at === '' ? 'it' : at} is ${what}, and ${describeType(to)} is needed`;
  }
  return undefined;
}

interface Pair {
  readonly given: Plain;
  readonly from: Typed;
  readonly need: Plain;
  readonly to: Typed;
  readonly at: string;
  readonly depth: number;
}

function plainMisfit({ given, from, need, to, at, depth }: Pair): string | undefined {
  const name = at === '' ? 'it' : at;
  const here = describeType({ schema: given, root: from.root });
  const wanted = describeType({ schema: need, root: to.root });
  const no = `${name} is ${here}, and ${wanted} is needed`;
  const values = literalsOf(given);
  if (values !== undefined) {
    const wrong = values.flatMap(
      (value) => problemWith({ schema: need, root: to.root }, value) ?? [],
    );
    return wrong[0] === undefined ? undefined : `${name} ${wrong[0]}`;
  }
  const [givenType, neededType] = [typeOf(given), typeOf(need)];
  if (givenType === undefined) return undefined;
  const isWhole = givenType === 'integer' && neededType === 'number';
  if (neededType !== undefined && givenType !== neededType && !isWhole) return no;
  if (literalsOf(need) !== undefined) return no;
  const inner = (a: unknown, b: unknown, path: string) =>
    isSchema(a) && isSchema(b)
      ? misfit({ schema: a, root: from.root }, { schema: b, root: to.root }, path, depth + 1)
      : undefined;
  if (givenType === 'array') {
    const isTuple = given.prefixItems !== undefined || need.prefixItems !== undefined;
    return isTuple ? undefined : inner(given.items, need.items, `${at}[]`);
  }
  return givenType === 'object' ? objectMisfit(given, need, at, inner) : undefined;
}

function objectMisfit(
  given: Plain,
  need: Plain,
  at: string,
  inner: (a: unknown, b: unknown, path: string) => string | undefined,
): string | undefined {
  const [has, wants] = [propertiesOf(given), propertiesOf(need)];
  const isKnown = isPlain(given.properties);
  const name = (property: string) => (at === '' ? property : `${at}.${property}`);
  for (const property of requiredOf(need)) {
    if (!isKnown) break;
    if (!Object.hasOwn(has, property)) return `${name(property)} is needed, and is not there`;
    if (requiredOf(given).includes(property)) continue;
    return `${name(property)} is needed, and may be missing`;
  }
  const others = given.additionalProperties;
  if (isPlain(others)) {
    if (need.additionalProperties === false) return `${name('…')} may be there, and is not allowed`;
    const why = inner(others, need.additionalProperties, name('…'));
    if (why !== undefined) return why;
    for (const [property, schema] of Object.entries(wants)) {
      const wrong = Object.hasOwn(has, property)
        ? undefined
        : inner(others, schema, name(property));
      if (wrong !== undefined) return wrong;
    }
  }
  for (const [property, schema] of Object.entries(has)) {
    if (Object.hasOwn(wants, property)) {
      const why = inner(schema, wants[property], name(property));
      if (why !== undefined) return why;
    } else if (need.additionalProperties === false) {
      return `${name(property)} is not allowed there`;
    } else {
      const why = inner(schema, need.additionalProperties, name(property));
      if (why !== undefined) return why;
    }
  }
  return undefined;
}

/** Whether a value is of a schema; yes if that cannot be told from here. */
export function accepts(type: Typed, value: unknown): boolean {
  return problemWith(type, value) === undefined;
}

function problemWith({ schema, root }: Typed, value: unknown): string | undefined {
  if (schema === true) return undefined;
  const { $defs, definitions } = isPlain(root) ? root : {};
  const here = schema === false ? { not: {} } : schema;
  try {
    const compiled = compileSchema({
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
      ...here,
    });
    return compiled.issues(value, 1)[0]?.message;
  } catch {
    return undefined; // It refers to a part of its document that is not here.
  }
}
