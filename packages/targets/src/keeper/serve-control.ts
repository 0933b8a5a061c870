import { once } from 'node:events';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { ForgeError, messageOf } from '@forge/core';
import { deployFailed } from '../deploy-failed.ts';
import { sleep } from '../sleep.ts';
import {
  type ControlReply,
  type ControlRequest,
  controlRequestSchema,
  longestLine,
} from './control-messages.ts';
import type { Keeper, Work } from './keeper.ts';
import { keeperFiles } from './keeper-state.ts';
import { onLines } from './read-lines.ts';
import { withSocketPath } from './socket-path.ts';

const usualIdleMs = 10_000;
const pollEvery = 500;
const mostConnections = 32;
const mostUnread = 1024 * 1024;

/**
 * Answers requests on the keeper's socket until the signal aborts, it was told to stop, its folder is
 * gone, or there is nothing to keep and nobody asks.
 */
export async function serveControl({
  folder,
  keeper,
  signal,
  idleMs = usualIdleMs,
}: {
  readonly folder: string;
  readonly keeper: Keeper;
  readonly signal: AbortSignal;
  readonly idleMs?: number;
}): Promise<void> {
  const { socket } = keeperFiles(folder);
  const stopped = new AbortController();
  const over = AbortSignal.any([signal, stopped.signal]);
  const open = new Set<Socket>();
  const server = createServer((connection) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
    serveOne(connection, keeper, () => stopped.abort());
  });
  server.maxConnections = mostConnections;
  rmSync(socket, { force: true }); // Of a keeper that was killed: the lock says that none is left.
  await withSocketPath(socket, async (path) => {
    server.listen(path);
    await once(server, 'listening');
  });
  chmodSync(socket, 0o600);
  const own = numberOf(socket);
  try {
    // Without its folder it is nobody's: it could not be asked or stopped any more.
    for (let idle = 0; idle < idleMs && numberOf(socket) === own; idle += pollEvery) {
      if (!keeper.idle || open.size > 0) idle = 0;
      await sleep(pollEvery, over);
    }
  } catch {
    // Asked to end.
  } finally {
    if (numberOf(socket) === own) rmSync(socket, { force: true });
    server.close();
    for (const connection of open) if (signal.aborted) connection.destroy();
  }
}

/** Of a file; undefined if it is not there. Numbers of removed files are given to new ones. */
function numberOf(path: string): string | undefined {
  const about = statSync(path, { throwIfNoEntry: false });
  return about && `${about.ino} ${about.ctimeMs}`;
}

function serveOne(connection: Socket, keeper: Keeper, stopped: () => void): void {
  const gone = new AbortController();
  let isAsked = false;
  const send = (reply: ControlReply) => {
    if (connection.writable) connection.write(`${JSON.stringify(reply)}\n`);
  };
  const tell = (line: string) => {
    // For one who does not read, what a build prints is in its log.
    if (connection.writableLength < mostUnread) send({ tell: line });
  };
  connection.on('error', () => {});
  connection.once('close', () => gone.abort(new ForgeError('cancelled', 'Nobody waits for it.')));
  onLines(connection, {
    longest: longestLine,
    line: (text) => {
      if (isAsked) return;
      isAsked = true;
      void answer(text, keeper, { signal: gone.signal, tell }).then(({ reply, isEnd }) => {
        send(reply);
        connection.end();
        if (isEnd) stopped();
      });
    },
  });
}

async function answer(
  text: string,
  keeper: Keeper,
  work: Work,
): Promise<{ readonly reply: ControlReply; readonly isEnd: boolean }> {
  try {
    const request = readRequest(text);
    return { reply: { done: await perform(request, keeper, work) }, isEnd: request.op === 'stop' };
  } catch (error) {
    const code = ForgeError.is(error) ? error.code : 'deploy_failed';
    return { reply: { failed: { code, message: messageOf(error) } }, isEnd: false };
  }
}

function readRequest(text: string): ControlRequest {
  try {
    return controlRequestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw deployFailed(
      `The keeper does not understand what it is asked for: it was started by another version of Forge. End it with "kill -9 ${process.pid}" and try again: the next one takes its releases over.`,
      { cause },
    );
  }
}

async function perform(request: ControlRequest, keeper: Keeper, work: Work) {
  switch (request.op) {
    case 'build':
      await keeper.build(request, work);
      return {};
    case 'activate':
      return { ...(await keeper.activate(request, work)) };
    case 'status':
      return { ...keeper.status() };
    case 'settle':
      await keeper.settled();
      return {};
    case 'stop':
      await keeper.stop();
      return {};
    default:
      return request satisfies never;
  }
}
