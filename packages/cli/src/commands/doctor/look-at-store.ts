import { accessSync, constants, existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { createRedactor, messageOf } from '@forge/core';
import { openPostgresStore, openStore } from '@forge/store';
import { storeFile } from '../../workshop/store-file.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { nearest } from './look-at-disk.ts';

const patience = 5_000;

/** Where runs are kept: it opens, it can be written to, and its tables are of this version. */
export async function lookAtStore(address: string): Promise<Finding> {
  const shown = createRedactor().redact(address);
  try {
    const file = storeFile(address);
    if (file !== undefined) return await lookAtFile(file, shown);
    await (await openPostgresStore({ url: address, patience })).close();
    return ok('store', `${shown} answers`);
  } catch (error) {
    const fix = 'Set store (or FORGE_STORE) to a file, or to a database that answers.';
    return fail('store', `${shown}: ${messageOf(error)}`, fix);
  }
}

async function lookAtFile(file: string, shown: string): Promise<Finding> {
  const folder = nearest(dirname(file));
  // Opening it would make it: what is not there yet is left alone.
  accessSync(folder, constants.W_OK);
  if (!existsSync(file)) return ok('store', `${shown} will be made at the first run`);
  accessSync(file, constants.W_OK);
  await (await openStore(file)).close();
  return ok('store', shown);
}

/** What wakes workers, where it is a server of its own. */
export async function lookAtQueue(
  queue: string | undefined,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (queue === undefined || queue === 'store' || queue === 'pg-boss') return [];
  const url = URL.parse(queue);
  if (url === null || !/^rediss?:$/.test(url.protocol)) {
    return [warn('queue', `${queue} is none that is known`, 'Use store, pg-boss or redis://…')];
  }
  const port = Number(url.port || 6379);
  const reached = await reaches({ host: url.hostname, port }, signal);
  const place = `${url.hostname}:${port}`;
  return [
    reached
      ? ok('queue', `${place} answers`)
      : fail('queue', `nothing answers at ${place}`, 'Start Redis, or leave queue out.'),
  ];
}

function reaches(
  place: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ ...place, signal });
  const end = (reached: boolean) => {
    socket.destroy();
    resolve(reached);
  };
  socket.setTimeout(patience, () => end(false));
  socket.once('connect', () => end(true)).once('error', () => end(false));
  return promise;
}
