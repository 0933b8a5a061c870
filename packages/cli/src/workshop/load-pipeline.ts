import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ForgeError, messageOf } from '@forge/core';
import { type PipelineDefinition, parsePipeline } from '@forge/pipeline';
import { parse } from 'yaml';
import type { Settings } from '../settings/settings-schema.ts';

const modules = /\.[cm]?[jt]s$/;

/** The pipeline that `forge.yaml` names or holds. A module exports it as `pipeline`. */
export async function loadPipeline(
  setting: NonNullable<Settings['pipeline']>,
  root: string,
): Promise<PipelineDefinition> {
  if (typeof setting !== 'string') return parsePipeline(setting);
  const file = resolve(root, setting);
  try {
    if (!modules.test(file)) return parsePipeline(parse(await readFile(file, 'utf8')));
    const module: Record<string, unknown> = await import(pathToFileURL(file).href);
    return parsePipeline(module.pipeline);
  } catch (error) {
    if (ForgeError.is(error, 'invalid_pipeline')) throw error;
    throw new ForgeError('invalid_pipeline', `${file}: ${messageOf(error)}`, { cause: error });
  }
}
