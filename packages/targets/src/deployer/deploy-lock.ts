import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';
import * as z from 'zod';
import { tryLock } from '../files/file-lock.ts';
import { readJson } from '../files/read-json.ts';
import { writeJson } from '../files/write-json.ts';

const holderSchema = z.object({ pid: z.int(), since: z.number(), what: z.string() });

/**
 * Does something to a project on a target while nobody else does, in whatever process. The lock ends
 * with the process that has it, however that ends. `limit_reached` says who has it.
 */
export async function withDeployLock<Result>(
  {
    folder,
    what,
    now,
  }: { readonly folder: string; readonly what: string; readonly now: () => number },
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holderFile = join(folder, 'deploy.lock.json');
  const release = tryLock(join(folder, 'deploy.lock'));
  if (release === undefined) throw taken(readJson(holderFile, holderSchema), now());
  try {
    writeJson(holderFile, { pid: process.pid, since: now(), what });
    return await work();
  } finally {
    rmSync(holderFile, { force: true });
    release();
  }
}

function taken(holder: z.infer<typeof holderSchema> | undefined, now: number): ForgeError {
  const who =
    holder === undefined
      ? 'Another process'
      : `Process ${holder.pid} (${holder.what}, for ${Math.max(0, Math.round((now - holder.since) / 1000))} s)`;
  return new ForgeError(
    'limit_reached',
    `${who} is deploying this project to this target. Wait for it, or end it.`,
  );
}
