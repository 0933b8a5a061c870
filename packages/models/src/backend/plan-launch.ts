import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { canonicalJson, ForgeError } from '@forge/core';
import type { BackendKind, BackendOptions, LaunchSettings } from './backend-options.ts';
import { kinds, type Word } from './kinds.ts';

/** How a server is started, but for its port. Two equal launches are one backend. */
export interface Launch {
  readonly kind: BackendKind;
  /** The kind and the beginning of the fingerprint. */
  readonly id: string;
  readonly fingerprint: string;
  readonly binary: string;
  readonly model: string | undefined;
  readonly host: string;
  readonly argsFor: (port: number | string) => string[];
  readonly variablesFor: (port: number | string) => Readonly<Record<string, string>>;
}

/** What to run. Pure but for a look at whether the model is there. */
export function planLaunch(options: BackendOptions, binary: string): Launch {
  const { kind, host = '127.0.0.1', port, extraFlags = [], variables = {} } = options;
  const row = kinds[kind];
  const model = resolveModel(options);
  const words = wordsFor(options);
  const listen = (at: number | string): readonly Said[] =>
    'address' in row.listen
      ? [{ word: row.listen.address, value: `${host}:${at}` }]
      : [
          { word: { flag: row.listen.hostFlag }, value: host },
          { word: { flag: row.listen.portFlag }, value: String(at) },
        ];
  const modelArgs = model === undefined ? [] : [...(row.modelFlag ? [row.modelFlag] : []), model];
  const argsFor = (at: number | string) => [
    ...row.command,
    ...modelArgs,
    ...[...words, ...listen(at)].flatMap(toFlag),
    ...extraFlags,
  ];
  const variablesFor = (at: number | string) => ({
    ...(options.kvCache !== undefined && row.kvCacheNeeds),
    ...Object.fromEntries([...words, ...listen(at)].flatMap(toVariable)),
    ...variables,
  });
  const launch = [kind, binary, argsFor(port ?? 'any'), variablesFor(port ?? 'any')];
  const fingerprint = createHash('sha256').update(canonicalJson(launch)).digest('hex');
  const id = `${kind}-${fingerprint.slice(0, 8)}`;
  return { kind, id, fingerprint, binary, model, host, argsFor, variablesFor };
}

interface Said {
  readonly word: Word;
  /** Undefined for a flag that stands alone. */
  readonly value: string | undefined;
}

function toFlag({ word, value }: Said): string[] {
  if (!('flag' in word)) return [];
  return value === undefined ? [word.flag] : [word.flag, value];
}

function toVariable({ word, value }: Said): [string, string][] {
  return 'variable' in word ? [[word.variable, value ?? '1']] : [];
}

function resolveModel({ kind, model }: BackendOptions): string | undefined {
  const { model: takes } = kinds[kind];
  if (takes === 'none') {
    if (model === undefined) return undefined;
    throw wrong(`${kind} loads models by the names in requests: leave out "model".`);
  }
  if (model === undefined || model === '') throw wrong(`${kind} needs a "model".`);
  if (existsSync(model)) return resolve(model);
  if (takes === 'file_or_name') return model;
  throw wrong(`There is no model file ${model}.`);
}

function wordsFor(options: BackendOptions): Said[] {
  const { kind, kvCache, parallel = 1, kvUnified = false } = options;
  const { words, defaults, dividesContext } = kinds[kind];
  const { contextLength, jinja = defaults.jinja, gpuLayers = defaults.gpuLayers } = options;
  for (const name of ['contextLength', 'parallel', 'gpuLayers'] as const) refuseOdd(options, name);
  const share = dividesContext && !kvUnified ? parallel : 1;
  const sameCache = words.kvCacheValue === undefined && kvCache?.key === kvCache?.value;
  const wanted: Record<keyof typeof words, number | string | boolean | undefined> = {
    contextLength: contextLength === undefined ? undefined : contextLength * share,
    kvCacheKey: kvCache?.key,
    kvCacheValue: sameCache ? undefined : kvCache?.value,
    parallel: options.parallel,
    kvUnified: kvUnified || undefined,
    jinja: jinja || undefined,
    gpuLayers,
  };
  const said: Said[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const word = new Map<string, Word>(Object.entries(words)).get(name);
    if (word === undefined) throw wrong(`${kind} has no way to set ${name}: leave it out.`);
    said.push({ word, value: value === true ? undefined : String(value) });
  }
  return said;
}

function refuseOdd(options: LaunchSettings, name: 'contextLength' | 'parallel' | 'gpuLayers') {
  const value = options[name];
  const least = name === 'gpuLayers' ? 0 : 1;
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw wrong(`${name} is a whole number of at least ${least}, not ${value}.`);
}

function wrong(message: string): ForgeError {
  return new ForgeError('invalid_options', message);
}
