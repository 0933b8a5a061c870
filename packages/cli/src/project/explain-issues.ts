import { type JsonObject, nearestNames } from '@forge/core';
import type * as z from 'zod';
import { expectedAt, keysOf, schemaNodeAt } from './schema-node.ts';

/** One thing wrong with a file: where, and what to write instead. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const longestShown = 40;
const longestName = 200;

/** What a person is told about values that do not fit the schema. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  about: { readonly schema: JsonObject; readonly value: unknown },
): readonly Fault[] {
  return issues.flatMap((issue) => explainIssue(issue, about));
}

function explainIssue(
  issue: z.core.$ZodIssue,
  about: { readonly schema: JsonObject; readonly value: unknown },
): readonly Fault[] {
  const { path } = issue;
  const node = schemaNodeAt(about.schema, path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysOf(node);
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: known.includes(key)
          ? `${dotted([...path, key])} does not go with the other keys there.`
          : `${dotted([...path, key])} is not known. ${suggest(key, known)}`,
      }));
    }
    case 'invalid_key': {
      const said = ownWords(issue.issues[0]?.message) ?? nameRule;
      return [{ path, message: `"${named(path.at(-1) ?? '')}" cannot be a name here: ${said}` }];
    }
    case 'invalid_union': {
      const meant = meantShape(issue.errors);
      if (meant === undefined) break;
      const inner = meant.map((one) => ({ ...one, path: [...path, ...one.path] }));
      return explainIssues(inner, about);
    }
    case 'custom': {
      const said = ownWords(issue.message);
      if (said === undefined || node?.expected !== undefined) break;
      return [{ path, message: `${dotted(path)}: ${said}` }];
    }
  }
  const found = valueAt(about.value, path);
  const shown = node?.secret === true ? 'what is there' : show(found);
  const got = found === undefined ? 'it is missing' : `not ${shown}`;
  return [
    { path, message: `${dotted(path)} takes ${expectedAt(node)}, ${got}.${near(found, node)}` },
  ];
}

/**
 * Of the shapes a value may have, the one it nearly has: the fewest faults, none of them that it is
 * another kind of thing altogether. Faults of a block with a wrong key are told of that key.
 */
function meantShape(
  shapes: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return shapes
    .filter((faults) => faults.every(({ path, code }) => path.length > 0 || !otherKind.has(code)))
    .toSorted((a, b) => a.length - b.length)[0];
}

const otherKind: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);

/** A message that was written for the schema. What Zod says by itself is not for people. */
function ownWords(message: string | undefined): string | undefined {
  return message === undefined || /^(Invalid|Too|Unrecognized)\b/.test(message)
    ? undefined
    : message;
}

const nameRule = 'use letters, digits, ".", "_" and "-", at most 64.';

function suggest(key: string, known: readonly string[]): string {
  const [nearest] = nearestNames(key, known, 1);
  return nearest === undefined
    ? `Known here: ${known.join(', ')}.`
    : `Did you mean ${nearest}? Known here: ${known.join(', ')}.`;
}

/** A word that was nearly one of the choices. */
function near(found: unknown, node: JsonObject | undefined): string {
  if (typeof found !== 'string' || !Array.isArray(node?.enum)) return '';
  const [nearest] = nearestNames(found, node.enum.map(String), 1);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

export function dotted(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'The file';
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${named(step)}`,
    )
    .join('');
}

/** A key as it can stand in a message: on one line, and not without end. */
function named(key: PropertyKey): string {
  const line = String(key).replace(/\s+/g, ' ');
  return line.length > longestName ? `${line.slice(0, longestName)}…` : line;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value;
  for (const step of path) {
    if (typeof place !== 'object' || place === null) return undefined;
    place = Reflect.get(place, step);
  }
  return place;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a block';
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown;
}
