import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  nearestNames,
  neutralise,
} from '@forge/core';
import { stringify } from 'yaml';
import type { CommandContext } from '../../context.ts';
import { printable } from '../../printable.ts';
import { type Origin, valueAt } from '../../settings/layer.ts';
import { maskSettings } from '../../settings/mask-settings.ts';
import { leavesOf } from '../../settings/merge-layers.ts';
import { type ReadSettings, readSettings } from '../../settings/read-settings.ts';
import type { Style, Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';

export interface ShowFlags {
  readonly origins?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

/** Prints the settings, or one of them, with secrets hidden. */
export function showConfig(
  path: string | undefined,
  { origins = false, json = false, config: file }: ShowFlags,
  { terminal: getTerminal, cwd, config }: CommandContext,
): void {
  const terminal = getTerminal();
  const read = readSettings({ cwd, config, ...(file !== undefined && { file }) });
  for (const notice of read.notices) terminal.err(terminal.style('yellow', notice));
  const all = shown(read);
  const steps = path === undefined ? [] : stepsOf(path, all);
  const value = valueAt(all, steps) ?? all;
  if (origins) printOrigins(terminal, { read, all, steps, json });
  else if (json) terminal.out(JSON.stringify(value, undefined, 2));
  else if (typeof value === 'string') terminal.out(printable(value, 10_000));
  else terminal.out(neutralise(stringify(value, { lineWidth: 0 }).trimEnd()));
}

/** Masked, and without what is undefined. */
function shown({ settings }: ReadSettings): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(settings));
  const masked = maskSettings(isJsonObject(plain) ? plain : {});
  return isJsonObject(masked) ? masked : {};
}

/** The steps of a dotted path, where a name may hold dots itself. */
function stepsOf(path: string, all: JsonObject): readonly string[] {
  const steps: string[] = [];
  let rest = path;
  let place: JsonValue | undefined = all;
  while (rest !== '') {
    const names: readonly string[] = isJsonObject(place) ? Object.keys(place) : [];
    const name = names
      .filter((each) => rest === each || rest.startsWith(`${each}.`))
      .toSorted((a, b) => b.length - a.length)[0];
    if (name === undefined) throw new UsageError(notThere(path, { steps, rest, names }));
    steps.push(name);
    place = valueAt(all, steps);
    rest = rest.slice(name.length + 1);
  }
  return steps;
}

function notThere(
  path: string,
  {
    steps,
    rest,
    names,
  }: {
    readonly steps: readonly string[];
    readonly rest: string;
    readonly names: readonly string[];
  },
): string {
  const [nearest] = nearestNames(rest.split('.', 1)[0] ?? rest, names, 1);
  const here = steps.length === 0 ? '' : ` in ${steps.join('.')}`;
  const hint =
    nearest === undefined
      ? `There are: ${names.join(', ')}.`
      : `Did you mean ${[...steps, nearest].join('.')}?`;
  return `${path} is not set${here}. ${names.length === 0 ? 'See: forge config --origins' : hint}`;
}

const styleOf: Readonly<Record<Origin['layer'], Style>> = {
  flag: 'magenta',
  environment: 'cyan',
  project: 'green',
  user: 'blue',
  default: 'dim',
};

/** Wider values are cut: the columns are to be read side by side. */
const widestValue = 48;

function printOrigins(
  terminal: Terminal,
  {
    read,
    all,
    steps,
    json,
  }: {
    readonly read: ReadSettings;
    readonly all: JsonObject;
    readonly steps: readonly string[];
    readonly json: boolean;
  },
): void {
  const leaves = leavesOf(valueAt(all, steps) ?? all, steps).map((path) => ({
    path: path.join('.'),
    value: valueAt(all, path) ?? null,
    origin: read.origins.get(path.join('.')) ?? { layer: 'default' as const, place: 'default' },
  }));
  if (json) {
    const found = leaves.map(({ path, value, origin }) => [path, { value, ...origin }] as const);
    terminal.out(JSON.stringify(Object.fromEntries(found), undefined, 2));
    return;
  }
  const rows = leaves.map(({ path, value, origin }) => ({
    path: printable(path),
    value: printable(typeof value === 'string' ? value : JSON.stringify(value), widestValue),
    origin,
  }));
  const wide = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const paths = wide(rows.map(({ path }) => path));
  const values = wide(rows.map(({ value }) => value));
  for (const { path, value, origin } of rows) {
    const from = terminal.style(styleOf[origin.layer], origin.place);
    terminal.out(`${path.padEnd(paths)}  ${value.padEnd(values)}  ${from}`);
  }
}
