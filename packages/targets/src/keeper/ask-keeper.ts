import { connect, type Socket } from 'node:net';
import { ForgeError, type ForgeErrorCode, type JsonValue } from '@forge/core';
import { deployFailed } from '../deploy-failed.ts';
import { sleep } from '../sleep.ts';
import { type ControlRequest, controlReplySchema, longestLine } from './control-messages.ts';
import { keeperFiles, readKeeperState } from './keeper-state.ts';
import { onLines } from './read-lines.ts';
import { withSocketPath } from './socket-path.ts';
import { startKeeper } from './start-keeper.ts';

export interface Asking {
  readonly signal: AbortSignal;
  readonly tell?: (line: string) => void;
}

/** The connection broke before there was an end: the keeper was killed. */
class KeeperLost extends Error {}

const mostTries = 4;
/** The socket of a process that was killed may take a connection until the system has closed it. */
const againMs = 200;

/**
 * Asks the keeper of a folder, and starts one if there is none. One that is killed while it works is
 * started again and asked once more: what it is asked for may be done twice.
 */
export async function askKeeper(
  folder: string,
  request: ControlRequest,
  asking: Asking,
): Promise<JsonValue> {
  for (let tried = 1; tried <= mostTries; tried += 1) {
    try {
      return await askStarted(folder, request, asking);
    } catch (error) {
      if (!(error instanceof KeeperLost)) throw error;
    }
    await sleep(againMs, asking.signal);
  }
  const { log } = keeperFiles(folder);
  throw deployFailed(
    `The keeper of ${folder} ended ${mostTries} times while it worked. Was it killed, or out of memory? See ${log}.`,
  );
}

/** Undefined if no keeper runs; none is started. */
export async function askRunningKeeper(
  folder: string,
  request: ControlRequest,
  asking: Asking,
): Promise<JsonValue | undefined> {
  const connection = await tryConnect(keeperFiles(folder).socket);
  if (connection === undefined) return undefined;
  return await talk(connection, request, asking).catch((error: unknown) => {
    if (error instanceof KeeperLost) return undefined; // It was about to end.
    throw error;
  });
}

async function askStarted(folder: string, request: ControlRequest, asking: Asking) {
  const { socket } = keeperFiles(folder);
  const running = await tryConnect(socket);
  if (running !== undefined) return await talk(running, request, asking);
  readKeeperState(folder); // What it cannot read, the next one could not either.
  const started = await startKeeper(folder, () => tryConnect(socket), asking.signal);
  return await talk(started, request, asking);
}

/** Undefined where nobody listens. */
async function tryConnect(path: string): Promise<Socket | undefined> {
  try {
    return await withSocketPath(path, async (short) => {
      const connection = connect(short);
      return await new Promise<Socket>((resolve, reject) => {
        connection.once('connect', () => resolve(connection));
        connection.once('error', reject);
      });
    });
  } catch {
    return undefined;
  }
}

async function talk(
  connection: Socket,
  request: ControlRequest,
  { signal, tell = () => {} }: Asking,
): Promise<JsonValue> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonValue>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  connection.on('error', () => {});
  onLines(connection, {
    longest: longestLine,
    line: (text) => {
      const reply = controlReplySchema.safeParse(tryParse(text)).data;
      if (reply === undefined) return;
      if ('tell' in reply) tell(reply.tell);
      else if ('done' in reply) resolve(reply.done);
      else reject(new ForgeError(toCode(reply.failed.code), reply.failed.message));
    },
  });
  connection.once('close', () => reject(new KeeperLost('the keeper is gone')));
  try {
    connection.write(`${JSON.stringify(request)}\n`);
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    connection.destroy();
  }
}

function toCode(code: string): ForgeErrorCode {
  return code === 'cancelled' ? 'cancelled' : 'deploy_failed';
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
