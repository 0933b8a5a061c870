import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../../scripts/test-model/cache-folder.ts';
import { runNpm } from '../../../scripts/test-model/run-npm.ts';
import { startChild } from '../child.ts';
import { freePort, listening } from '../free-port.ts';
import type { Contender } from '../middle.ts';
import { readUsage } from '../process-usage.ts';

const version = '1.15.2';

/** Installs the gateway in the user's cache folder, once. */
async function installed(): Promise<string> {
  const folder = join(cacheFolder(), 'bench', `portkey-${version}`);
  const server = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (existsSync(server)) return server;
  mkdirSync(folder, { recursive: true });
  await runNpm(['install', '--prefix', folder, `@portkey-ai/gateway@${version}`], { folder });
  return server;
}

/** The gateway on the same Node, told by headers where the backend is. */
export const portkey: Contender = {
  name: `@portkey-ai/gateway ${version}`,
  async start({ backendPort }) {
    const server = await installed();
    const port = await freePort();
    const child = startChild({
      command: process.execPath,
      args: [server, `--port=${port}`, '--headless'],
      role: 'middle',
    });
    await listening(port, AbortSignal.timeout(20_000));
    const headers = {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${backendPort}/v1`,
    };
    return { port, headers, usage: () => readUsage(child.pid), stop: child.stop };
  },
};
