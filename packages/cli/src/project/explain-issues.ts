import { type JsonObject, nearestNames } from '@forge/core';
import type * as z from 'zod';
import { expectedAt, keysOf, schemaNodeAt } from './schema-node.ts';

/** One thing wrong with a file: where, and what to write instead. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const longestShown = 40;

/** What a person is told about values that do not fit the schema. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  { schema, value }: { readonly schema: JsonObject; readonly value: unknown },
): readonly Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') {
      const known = keysOf(schemaNodeAt(schema, path));
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `${dotted([...path, key])} is not known. ${suggest(key, known)}`,
      }));
    }
    if (issue.code === 'invalid_key') {
      return [{ path, message: `"${String(path.at(-1))}" cannot be a name here: ${nameRule}` }];
    }
    const node = schemaNodeAt(schema, path);
    const found = valueAt(value, path);
    const shown = node?.secret === true ? 'what is there' : show(found);
    const got = found === undefined ? 'it is missing' : `not ${shown}`;
    return [
      { path, message: `${dotted(path)} takes ${expectedAt(node)}, ${got}.${near(found, node)}` },
    ];
  });
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

function dotted(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'The file';
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
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
