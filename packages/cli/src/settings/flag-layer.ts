import { isJsonObject, type JsonObject } from '@forge/core';
import { explainIssues } from '../project/explain-issues.ts';
import type { ReadLayer } from './environment-layer.ts';
import { settingsJsonSchema } from './json-schema.ts';
import { type SettingsInput, settingsSchema } from './settings-schema.ts';

/** What the command line sets: settings in their own shape. Undefined is what was not said. */
export type SettingsFlags = SettingsInput | JsonObject;

/** The flags commands have for settings. The others are called by their key. */
const flagNames: Readonly<Record<string, string>> = {
  'deploy.target': '--target',
  'agents.agent.max_iterations': '--max-iterations',
  'sandbox.backend': '--sandbox-backend',
  'sandbox.image': '--sandbox-image',
  'sandbox.network': '--network',
  'sandbox.command_timeout_s': '--command-timeout',
  'worker.concurrency': '--concurrency',
};

export function flagLayer(flags: SettingsFlags, { cwd }: { readonly cwd: string }): ReadLayer {
  const value = said(flags);
  const { error } = settingsSchema.safeParse(value);
  const faults = explainIssues(error?.issues ?? [], { schema: settingsJsonSchema(), value });
  return {
    layers: [{ name: 'flag', value, placeOf: flagOf, folder: cwd }],
    faults: faults.map(({ path, message }) => `${flagOf(path)}: ${message}`),
    notices: [],
  };
}

function flagOf(path: readonly PropertyKey[]): string {
  const key = String(path.at(-1) ?? '').replaceAll('_', '-');
  return flagNames[path.map(String).join('.')] ?? `--${key}`;
}

/** Without what is undefined, at any depth, and without the blocks that are empty for it. */
function said(flags: object): JsonObject {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) => {
      if (value === undefined) return [];
      if (!isJsonObject(value)) return [[key, value]];
      const inner = said(value);
      return Object.keys(inner).length === 0 && Object.keys(value).length > 0 ? [] : [[key, inner]];
    }),
  );
}
