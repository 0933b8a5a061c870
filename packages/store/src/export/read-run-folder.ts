import { readFile } from 'node:fs/promises';
import { ForgeError, messageOf } from '@forge/core';
import * as z from 'zod';
import {
  type EventLine,
  eventLineSchema,
  type MessageLine,
  messageLineSchema,
  type RunFile,
  runFileSchema,
  runFolder,
  type Summary,
  summarySchema,
} from './run-folder.ts';

export interface RunFolder {
  readonly run: RunFile;
  readonly messages: readonly MessageLine[];
  readonly events: readonly EventLine[];
  readonly summary: Summary;
}

/** Reads a run folder back, checked. `not_found` without one, `invalid_options` if a file is damaged. */
export async function readRunFolder({
  folder,
  runId,
}: {
  readonly folder: string;
  readonly runId: string;
}): Promise<RunFolder> {
  const files = runFolder(folder, runId);
  return {
    run: check(files.run, runFileSchema, await read(files.run)),
    messages: (await readLines(files.messages)).map((line) =>
      check(files.messages, messageLineSchema, line),
    ),
    events: (await readLines(files.events)).map((line) =>
      check(files.events, eventLineSchema, line),
    ),
    summary: check(files.summary, summarySchema, await read(files.summary)),
  };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ForgeError('not_found', `There is no ${file}: ${messageOf(cause)}.`, { cause });
  }
}

async function readLines(file: string): Promise<readonly string[]> {
  return (await read(file)).split('\n').filter((line) => line !== '');
}

function check<T>(file: string, schema: z.ZodType<T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ForgeError('invalid_options', `${file} is not JSON: ${messageOf(cause)}.`, { cause });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ForgeError(
    'invalid_options',
    `${file} is not as it should be: ${z.prettifyError(result.error)}`,
  );
}
