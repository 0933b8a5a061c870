import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import type { Config } from '../config.ts';
import { findProjectFile, findUserFile } from '../project/find-project-file.ts';
import { readProjectFile } from '../project/read-project-file.ts';
import type { ReadLayer } from './environment-layer.ts';
import type { LayerName } from './layer.ts';
import { oldFileLayer } from './legacy/old-file-layer.ts';
import { showPath } from './show-path.ts';

/** A file that settings are read from. */
export interface SettingsFile {
  readonly file: string;
  readonly layer: LayerName;
  /** An `agent-forge.toml`. */
  readonly old: boolean;
}

/** The files that are there, strongest first. One that is named takes the place of `forge.yaml`. */
export function settingsFiles({
  cwd,
  config,
  file,
}: {
  readonly cwd: string;
  readonly config: Pick<Config, 'configFolder' | 'home'>;
  readonly file: string | undefined;
}): readonly SettingsFile[] {
  const named = file === undefined ? undefined : resolve(cwd, file);
  if (named !== undefined && !existsSync(named)) {
    throw new ForgeError(
      'invalid_options',
      `There is no file ${named} (--config). Name another one, or run "forge init" to write one.`,
    );
  }
  const oldUserFile = join(config.home, '.agent-forge', 'config.toml');
  const found: readonly (readonly [string | undefined, LayerName, boolean])[] = [
    [named ?? findProjectFile(cwd), 'project', false],
    [named === undefined ? findProjectFile(cwd, 'agent-forge.toml') : undefined, 'project', true],
    [findUserFile(config.configFolder), 'user', false],
    [existsSync(oldUserFile) ? oldUserFile : undefined, 'user', true],
  ];
  return found.flatMap(([path, layer, old]) =>
    path === undefined ? [] : [{ file: path, layer, old }],
  );
}

/** What a file says, or everything that is wrong with it. */
export function fileLayer(
  { file, layer: name, old }: SettingsFile,
  places: { readonly cwd: string; readonly home: string },
): ReadLayer {
  const shown = showPath(file, places);
  if (old) return oldFileLayer(file, { name, shown });
  try {
    const { value, placeOf } = readProjectFile(file);
    const layer = {
      name,
      value,
      placeOf: (path: readonly string[]) => `${shown}:${placeOf(path).line}`,
      folder: dirname(file),
    };
    return { layers: [layer], faults: [], notices: [] };
  } catch (error) {
    if (!ForgeError.is(error, 'invalid_options')) throw error;
    return { layers: [], faults: error.message.split('\n'), notices: [] };
  }
}
