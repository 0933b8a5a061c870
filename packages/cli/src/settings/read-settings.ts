import { dirname } from 'node:path';
import { createRedactor, ForgeError, isJsonObject, type JsonValue, neutralise } from '@forge/core';
import type { Config } from '../config.ts';
import { explainIssues } from '../project/explain-issues.ts';
import { findGitRoot } from '../project/find-project-file.ts';
import { environmentLayer, type ReadLayer } from './environment-layer.ts';
import { fileLayer, settingsFiles } from './file-layers.ts';
import { flagLayer, type SettingsFlags } from './flag-layer.ts';
import { settingsJsonSchema } from './json-schema.ts';
import type { Layer, Origin } from './layer.ts';
import { oldVariablesLayer } from './legacy/old-variables-layer.ts';
import { routerVariablesLayer } from './legacy/router-variables-layer.ts';
import { leavesOf, mergeLayers, originOf } from './merge-layers.ts';
import { withProviders } from './model-names.ts';
import { withPlacedPaths } from './placed-paths.ts';
import { type Settings, settingsSchema } from './settings-schema.ts';
import { strayKeys } from './trusted-models.ts';

export interface ReadSettings {
  readonly settings: Settings;
  /** Where the value at each dotted path of the settings came from. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** The files that were read, strongest first. */
  readonly files: readonly string[];
  /** The project's `forge.yaml`, or the file that took its place. */
  readonly projectFile: string | undefined;
  /** The project's folder: that of its file, else of the repository, else the working directory. */
  readonly root: string;
  /** What a person should know of, secrets taken out. Some are of several lines. */
  readonly notices: readonly string[];
}

const mostFaults = 20;

/**
 * All settings as one: flags over the environment, over the project's `forge.yaml`, over the user's
 * `config.yaml`, over defaults. Everything that is wrong, wherever it stands, is told at once.
 *
 * @example
 * const { settings, origins } = readSettings({ cwd, config, flags: { model: 'ollama:qwen3:8b' } });
 * origins.get('model'); // { layer: 'flag', place: '--model' }
 */
export function readSettings({
  cwd,
  config,
  flags = {},
  file,
}: {
  readonly cwd: string;
  readonly config: Config;
  readonly flags?: SettingsFlags;
  /** Instead of the project's `forge.yaml`, as `--config` names it. */
  readonly file?: string;
}): ReadSettings {
  const files = settingsFiles({ cwd, config, file });
  const fromFiles = files.map((one) => fileLayer(one, { cwd, home: config.home }));
  const below = mergeLayers(fromFiles.flatMap(({ layers }) => layers));
  const read: readonly ReadLayer[] = [
    flagLayer(flags, { cwd }),
    environmentLayer(config, { below, cwd }),
    oldVariablesLayer(config, { cwd }),
    ...fromFiles,
    routerVariablesLayer(config, { cwd }),
  ];
  const named = read
    .flatMap((one) => one.layers)
    .map((layer) => withProviders(withPlacedPaths(layer, config)));
  const layers = named.map(({ layer }) => layer);
  const stray = strayKeys(layers, config);
  throwFaults([...read.flatMap(({ faults }) => faults), ...stray]);
  const settings = resolved(layers);
  const { redact } = createRedactor();
  const notices = [...read, ...named].flatMap((one) => one.notices);
  const projectFile = files.find((one) => one.layer === 'project' && !one.old)?.file;
  return {
    settings,
    origins: originsOf(settings, layers),
    files: files.map((one) => one.file),
    projectFile,
    root: projectFile === undefined ? (findGitRoot(cwd) ?? cwd) : dirname(projectFile),
    notices: notices.map((notice) => neutralise(redact(notice))),
  };
}

/** For commands that make no sense without a project. */
export function noProjectFile(cwd: string): ForgeError {
  return new ForgeError(
    'invalid_options',
    `There is no forge.yaml in ${cwd} or above it. Run "forge init" to write one, or name one with --config <path>.`,
  );
}

function resolved(layers: readonly Layer[]): Settings {
  const value = mergeLayers(layers);
  const parsed = settingsSchema.safeParse(value);
  if (!parsed.success) {
    // Each layer is right by itself: together they are not.
    const faults = explainIssues(parsed.error.issues, { schema: settingsJsonSchema(), value });
    throwFaults(
      faults.map(({ path, message }) => {
        const { place } = originOf(path.map(String), layers);
        return `${place}: ${message}`;
      }),
    );
  }
  return settingsSchema.parse(value);
}

function originsOf(settings: Settings, layers: readonly Layer[]): ReadonlyMap<string, Origin> {
  return new Map(
    leavesOf(asJson(settings)).map((path) => [path.join('.'), originOf(path, layers)]),
  );
}

function asJson(settings: Settings): JsonValue {
  const value: unknown = settings;
  return isJsonObject(value) ? value : {};
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length - mostFaults;
  const told = [...faults.slice(0, mostFaults), ...(more > 0 ? [`… and ${more} more`] : [])];
  throw new ForgeError('invalid_options', createRedactor().redact(neutralise(told.join('\n'))));
}
