import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, messageOf } from '@forge/core';
import { parse, TomlError } from 'smol-toml';
import type { ReadLayer } from '../environment-layer.ts';
import type { LayerName } from '../layer.ts';
import { oldLayer } from './old-layer.ts';
import { type OldSetting, translateOldKeys } from './translate-old-keys.ts';

const mostCharacters = 1_000_000;

/** An `agent-forge.toml` as a layer of settings, with a notice that says what to write instead. */
export function oldFileLayer(
  file: string,
  { name, shown }: { readonly name: LayerName; readonly shown: string },
): ReadLayer {
  const nothing = { layers: [], notices: [] };
  let text: string;
  let value: unknown;
  try {
    text = readFileSync(file, 'utf8');
    if (text.length > mostCharacters) throw new Error('it is too long to be a configuration');
    value = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) {
      return { ...nothing, faults: [`${file} cannot be read: ${messageOf(error)}`] };
    }
    const [why = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { ...nothing, faults: [`${file}:${error.line}:${error.column}: ${why}`] };
  }
  const said = settingsIn(isJsonObject(value) ? value : {}, (section, key) => {
    const line = lineOf(text, section, key);
    return line === undefined ? shown : `${shown}:${line}`;
  });
  return oldLayer(translateOldKeys(said), { name, folder: dirname(file), source: shown });
}

/** Every key with its section; those of `[providers.X]` with the provider in it. */
function settingsIn(
  value: JsonObject,
  placeOf: (section: string, key: string) => string,
): readonly OldSetting[] {
  const inSection = (section: string, keys: JsonValue): OldSetting[] =>
    Object.entries(isJsonObject(keys) ? keys : {}).map(([key, said]) => ({
      section,
      key,
      value: said,
      place: placeOf(section, key),
    }));
  return Object.entries(value).flatMap(([section, keys]) => {
    if (section !== 'providers' || !isJsonObject(keys)) return inSection(section, keys);
    return Object.entries(keys).flatMap(([provider, inner]) =>
      inSection(`providers.${provider}`, inner),
    );
  });
}

/** The parser keeps no places. Keys stand at the beginning of a line, below their section. */
function lineOf(text: string, section: string, key: string): number | undefined {
  let at = '';
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) at = header.replace(/[\s"']/g, '');
    const word = /^\s*([\w."'-]+)\s*=/.exec(line)?.[1]?.replace(/["']/g, '');
    const full = at === '' ? word : `${at}.${word}`;
    if (word !== undefined && full === `${section}.${key}`) return index + 1;
  }
  return undefined;
}
