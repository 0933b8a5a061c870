import { type JsonObject, type JsonValue, nearestNames } from '@forge/core';
import type { Config } from '../config.ts';
import { explainIssues } from '../project/explain-issues.ts';
import { schemaNodeAt } from '../project/schema-node.ts';
import { meanings } from './coerce.ts';
import { settingsJsonSchema } from './json-schema.ts';
import { type Layer, wholeAbove, withValue } from './layer.ts';
import { settingsSchema } from './settings-schema.ts';
import { pathOf, prefix, variableOf } from './variable-path.ts';

/** Variables that begin as ours do and are no settings. */
export const otherVariables: Readonly<Record<string, string>> = {
  FORGE_BACKEND_API_KEY: 'The key the proxy sends to its backend.',
  FORGE_BACKEND_ADDRESSES: 'Where to look for model servers, separated by commas.',
  FORGE_PROXY_API_KEY: 'The key callers of the proxy have to send.',
  FORGE_ORCHESTRATOR: 'host:port of the orchestrator, for sandboxes on another machine.',
  FORGE_ORCHESTRATOR_TOKEN: 'The token of the orchestrator.',
  FORGE_LOG_LEVEL: 'What the orchestrator logs.',
  FORGE_CACHE: 'Where downloads are kept that can be had again.',
};

/** Those that others give to processes they start, or that were read by an earlier system. */
const silent = /^FORGE_(?:EXEC|MCP_OWNER|MCP_TOKEN|NO_DURABLE|PROVIDER|TEST_\w+)$/;

export interface ReadLayer {
  readonly layers: readonly Layer[];
  /** What is wrong with it, each with its place. */
  readonly faults: readonly string[];
  readonly notices: readonly string[];
}

/** What FORGE_… variables set. `below` is what the weaker layers say. */
export function environmentLayer(
  { variablesWith, variable }: Pick<Config, 'variablesWith' | 'variable'>,
  { below, cwd }: { readonly below: JsonObject; readonly cwd: string },
): ReadLayer {
  const faults: string[] = [];
  const notices: string[] = [];
  const found: { readonly name: string; readonly path: readonly string[] }[] = [];
  const named = JSON.stringify(below);
  for (const name of variablesWith(prefix)) {
    if (Object.hasOwn(otherVariables, name) || silent.test(name)) continue;
    const at = pathOf(name, below);
    const whole = 'path' in at ? wholeAbove(at.path) : undefined;
    if (whole !== undefined) faults.push(`${name}: ${inPart(whole)}`);
    else if ('path' in at) found.push({ name, path: at.path });
    // A variable that the settings name has its use.
    else if (!named.includes(name)) notices.push(unknown(name, at.nearest));
  }
  let value: JsonObject = {};
  const nameOf = new Map<string, string>();
  // FORGE_DEPLOY, as JSON, before FORGE_DEPLOY__TARGET: the more exact one wins.
  for (const { name, path } of found.toSorted((a, b) => a.path.length - b.path.length)) {
    const read = readVariable({ name, path, text: variable(name) ?? '' });
    faults.push(...read.faults);
    if (read.faults.length > 0) continue;
    value = withValue(value, path, read.value);
    nameOf.set(path.join('.'), name);
  }
  const layer: Layer = {
    name: 'environment',
    value,
    placeOf: (path) => longestPrefix(nameOf, path) ?? 'the environment',
    folder: cwd,
  };
  return { layers: [layer], faults, notices };
}

function readVariable({
  name,
  path,
  text,
}: {
  readonly name: string;
  readonly path: readonly string[];
  readonly text: string;
}): { readonly value: JsonValue; readonly faults: readonly string[] } {
  const schema = settingsJsonSchema();
  const all = meanings(text, schemaNodeAt(schema, path));
  const right = all.find((one) => settingsSchema.safeParse(withValue({}, path, one)).success);
  if (right !== undefined) return { value: right, faults: [] };
  const value = withValue({}, path, all[0] ?? text);
  const { error } = settingsSchema.safeParse(value);
  const faults = explainIssues(error?.issues ?? [], { schema, value });
  return { value: text, faults: faults.map(({ message }) => `${name}: ${message}`) };
}

function inPart(whole: readonly string[]): string {
  return `${whole.join('.')} is taken as a whole. Set it in a file, or all of it as JSON in ${variableOf(whole)}.`;
}

function unknown(name: string, nearest: string | undefined): string {
  const others = Object.keys(otherVariables);
  // By the part that differs, and of about that length: they all begin alike.
  const [ending] = nearestNames(
    name.slice(prefix.length),
    others
      .map((other) => other.slice(prefix.length))
      .filter((other) => Math.abs(prefix.length + other.length - name.length) <= 2),
    1,
  );
  const meant = ending === undefined ? nearest : prefix + ending;
  return meant === undefined
    ? `${name} is set, and no setting is called so. See: forge config --origins`
    : `${name} is set, and no setting is called so. Did you mean ${meant}?`;
}

function longestPrefix(
  names: ReadonlyMap<string, string>,
  path: readonly string[],
): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const name = names.get(path.slice(0, length).join('.'));
    if (name !== undefined) return name;
  }
  return undefined;
}
