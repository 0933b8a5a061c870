import { spawn } from 'node:child_process';
import { Server } from 'node:net';
import { ForgeError } from '@forge/core';

/** Where the proxy listens, as programs in the sandbox see it: on their own loopback. */
export const proxyPort = 3128;
const openMs = 10_000;

/** Opens the socket there and hands it over; nothing of this process stays in the namespace. */
const script = `
const server = require('node:net').createServer({ pauseOnConnect: false });
server.on('error', (error) => { process.send({ problem: error.message }, () => process.exit(1)); });
server.listen(${proxyPort}, '127.0.0.1', () => process.send({ ready: true }, server, () => process.disconnect()));
`;

/**
 * A socket that listens on the loopback of another network namespace, that of the process `pid`. A
 * sandbox without any network can reach us by it, and nothing else: there is no route, no name
 * server and no other machine. Takes root and `nsenter`; the sandbox must run on this machine.
 */
export async function listenInside(pid: number, signal?: AbortSignal): Promise<Server> {
  const args = [`--net=/proc/${pid}/ns/net`, '--', process.execPath, '-e', script];
  const child = spawn('nsenter', args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: {} });
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const fail = (why: string) =>
    reject(
      new ForgeError(
        'sandbox_failed',
        `The list of allowed hosts cannot be held: ${why.trim()}. It takes root, nsenter, and Docker on this machine. Use network "none", or "full" if you mean it.`,
      ),
    );
  let complaint = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    complaint = `${complaint}${bytes}`.slice(0, 500);
  });
  child.on('error', (error) => fail(error.message));
  child.on('message', (_message, handle) => {
    if (handle instanceof Server) resolve(handle);
    else fail('no socket could be opened in its network');
  });
  child.on('close', () => fail(complaint || 'nsenter failed'));
  const kill = () => void child.kill('SIGKILL');
  const timer = setTimeout(kill, openMs);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    kill();
  }
}
