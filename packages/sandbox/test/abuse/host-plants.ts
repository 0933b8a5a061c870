import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { token } from '../../src/conformance/kit.ts';

/** What lies on the host for attacks to find. All of it is open to everybody on the host. */
export interface HostPlants {
  /** A folder everybody may write to. */
  readonly folder: string;
  /** A file in it, and one in shared memory, that everybody may read; they hold `secret`. */
  readonly file: string;
  readonly shared: string;
  readonly secret: string;
  /** A variable of our own environment that holds `secret`. */
  readonly variable: string;
  /** On 127.0.0.1: a server nobody may reach, and one that lists of allowed hosts hold. */
  readonly port: number;
  readonly webPort: number;
  /** The name of an abstract unix socket, without its leading NUL. */
  readonly socket: string;
  /** How often the server or the socket nobody may reach was. */
  connections(): number;
  /** A process of the user that sandboxes run as, so that no permission keeps a signal from it. */
  readonly pid: number;
  victimLives(): boolean;
  /** A System V message queue everybody may use. */
  readonly queue: string;
  /** Whether the attack has left something in the folder. */
  written(): boolean;
  remove(): void;
}

const nobody = 65534;
/** In the command line of the process that is there to be found. */
export const victimName = 'forge-abuse-victim';

/** Plants it all. `env` is the environment of this process. */
export async function plantHost(env: NodeJS.ProcessEnv): Promise<HostPlants> {
  const secret = token();
  const folder = mkdtempSync(join(tmpdir(), 'forge-abuse-'));
  const file = join(folder, 'secret');
  const shared = `/dev/shm/${secret.slice(0, 12)}-plant`;
  const variable = 'FORGE_ABUSE_SECRET';
  const socket = `forge-abuse-${secret.slice(-8)}`;
  writeFileSync(file, secret, { mode: 0o644 });
  writeFileSync(shared, secret, { mode: 0o644 });
  chmodSync(folder, 0o777);
  env[variable] = secret;
  let connections = 0;
  const count = () =>
    createServer((connection) => {
      connections += 1;
      connection.on('error', () => undefined).end(secret);
    });
  const [tcp, unix] = [count(), count()];
  await Promise.all([
    listen(tcp, { port: 0, host: '127.0.0.1' }),
    listen(unix, { path: `\0${socket}` }),
  ]);
  const port = portOf(tcp);
  const web = createHttpServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.1:${port}/` });
    response.end('welcome');
  });
  await listen(web, { port: 0, host: '127.0.0.1' });
  const victim = startVictim({ [variable]: secret });
  const queue = /\d+/.exec(execFileSync('ipcmk', ['-Q', '-p', '0666'], { encoding: 'utf8' }))?.[0];
  if (victim.pid === undefined || queue === undefined) throw new Error('planting failed');
  return {
    folder,
    file,
    shared,
    secret,
    variable,
    port,
    webPort: portOf(web),
    socket,
    connections: () => connections,
    pid: victim.pid,
    victimLives: () => victim.exitCode === null && victim.signalCode === null,
    queue,
    written: () => existsSync(join(folder, 'pwned')),
    remove: () => {
      execFileSync('ipcrm', ['-q', queue], { stdio: 'ignore' });
      victim.kill('SIGKILL');
      for (const server of [tcp, unix, web]) server.close();
      web.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
      rmSync(shared, { force: true });
      delete env[variable];
    },
  };
}

function startVictim(env: Readonly<Record<string, string>>): ChildProcess {
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  // It ends with its input, so with us.
  const argv = ['-c', 'read -r line', victimName];
  return spawn('sh', argv, { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', env, ...user });
}

async function listen(server: Server, place: object): Promise<void> {
  server.unref().listen(place);
  await once(server, 'listening');
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
