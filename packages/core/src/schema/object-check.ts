import type { JsonObject } from '../json.ts';
import { describeNames } from './describe-value.ts';
import type { IssueSink } from './issue-sink.ts';
import { ANY_TYPE, describeTypes } from './json-type.ts';
import type { Check, ObjectRules, SchemaNode } from './schema-node.ts';

/**
 * The keywords of objects, but for those that look at the whole value again. Only own properties
 * count, and one whose value is undefined is absent, as JSON has it.
 */
export function objectCheck(rules: ObjectRules): Check<JsonObject> {
  const named = namedCheck(rules);
  const isPlain =
    rules.patterns.length === 0 &&
    rules.dependentRequired.size === 0 &&
    rules.propertyNames === undefined &&
    rules.minProperties === 0 &&
    rules.maxProperties === Number.POSITIVE_INFINITY &&
    (rules.additional === undefined || rules.additional.source === false);
  return {
    accepts: isPlain ? named : (value) => named(value) && acceptsRest(rules, value),
    explain: (value, sink) => explainObject(rules, value, sink),
  };
}

/**
 * `properties`, `required` and `additionalProperties: false`: what nearly every tool's schema is
 * made of, in one walk over the value and without a list of its keys. Models tend to write
 * properties in the order of the schema, so the next name is tried before it is looked up.
 */
function namedCheck(rules: ObjectRules): (value: JsonObject) => boolean {
  const { properties, required, additional, patterns } = rules;
  const isClosed = additional?.source === false && patterns.length === 0;
  const needed = new Set(required);
  const names = [...new Set([...properties.keys(), ...needed])];
  const unnamed = isClosed ? never : always;
  const checks = names.map((name) => properties.get(name)?.accepts ?? unnamed);
  const isNeeded = names.map((name) => needed.has(name));
  const positions = new Map(names.map((name, index) => [name, index]));

  return (value) => {
    const isOrdinary = Object.getPrototypeOf(value) === Object.prototype;
    let next = 0;
    let met = 0;
    for (const name in value) {
      const part = value[name];
      if (part === undefined || (!isOrdinary && !Object.hasOwn(value, name))) continue;
      const at = names[next] === name ? next : positions.get(name);
      const accepts = at === undefined ? unnamed : checks[at];
      if (accepts === undefined || !accepts(part)) return false;
      if (at === undefined) continue;
      if (isNeeded[at]) met += 1;
      next = at + 1;
    }
    return met === needed.size;
  };
}

const always = () => true;
const never = () => false;

function acceptsRest(rules: ObjectRules, value: JsonObject): boolean {
  const { properties, patterns, additional, propertyNames, dependentRequired } = rules;
  let count = 0;
  for (const name in value) {
    if (!hasOwn(value, name)) continue;
    count += 1;
    if (propertyNames !== undefined && !propertyNames.accepts(name)) return false;
    let isKnown = properties.has(name);
    for (const { pattern, node } of patterns) {
      if (!pattern.matches(name)) continue;
      isKnown = true;
      if (!node.accepts(value[name])) return false;
    }
    if (!isKnown && additional !== undefined && !additional.accepts(value[name])) return false;
  }
  if (count < rules.minProperties || count > rules.maxProperties) return false;
  for (const [name, needed] of dependentRequired) {
    if (hasOwn(value, name) && !needed.every((other) => hasOwn(value, other))) return false;
  }
  return true;
}

function explainObject(rules: ObjectRules, value: JsonObject, sink: IssueSink): void {
  const { properties, patterns, additional, propertyNames, required } = rules;
  for (const name of required) {
    if (!hasOwn(value, name)) sink.addAt(name, 'required', missing(properties.get(name)));
  }
  let count = 0;
  for (const name in value) {
    if (sink.full) return;
    if (!hasOwn(value, name)) continue;
    count += 1;
    if (propertyNames !== undefined) explainName(propertyNames, name, sink);
    const node = properties.get(name);
    const rulesFor = patterns
      .filter(({ pattern }) => pattern.matches(name))
      .map((rule) => rule.node);
    if (node !== undefined) rulesFor.push(node);
    if (rulesFor.length === 0 && additional?.source === false) {
      sink.addAt(name, 'additionalProperties', unknownProperty(properties));
      continue;
    }
    if (rulesFor.length === 0 && additional !== undefined) rulesFor.push(additional);
    sink.path.push(name);
    for (const rule of rulesFor) rule.explain(value[name], sink);
    sink.path.pop();
  }
  if (count < rules.minProperties) {
    sink.add('minProperties', `must have at least ${rules.minProperties} properties`, value);
  }
  if (count > rules.maxProperties) {
    sink.add('maxProperties', `must have at most ${rules.maxProperties} properties`, value);
  }
  for (const [name, needed] of rules.dependentRequired) {
    if (!hasOwn(value, name)) continue;
    for (const other of needed) {
      if (hasOwn(value, other)) continue;
      sink.addAt(other, 'dependentRequired', `is required when "${name}" is given`);
    }
  }
}

function explainName(names: SchemaNode, name: string, sink: IssueSink): void {
  const findings = sink.fork();
  names.explain(name, findings);
  if (findings.issues.length === 0) return;
  sink.addAt(
    name,
    'propertyNames',
    `is not a valid property name: it ${findings.expected.join('; ')}`,
  );
}

function missing(node: SchemaNode | undefined): string {
  if (node === undefined || node.types === ANY_TYPE) return 'is required but missing';
  return `is required but missing: it must be ${describeTypes(node.types)}`;
}

export function unknownProperty(properties: ReadonlyMap<string, unknown>): string {
  if (properties.size === 0) return 'is not a known property: none are allowed here';
  return `is not a known property. Known: ${describeNames([...properties.keys()])}`;
}

/** Own, and not undefined. */
export function hasOwn(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}
