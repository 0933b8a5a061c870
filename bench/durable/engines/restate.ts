import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startChild } from '../../proxy/child.ts';
import { freePort, listening } from '../../proxy/free-port.ts';
import type { Engine } from '../engine.ts';
import { installed } from '../install.ts';
import { startEngine } from '../start-engine.ts';

const version = '1.7.12';
const sdkVersion = '1.17.2';

/** One node of Restate's own server, and a service in Node that it calls. */
export const restate: Engine = {
  name: `Restate ${version}`,
  ground: 'its own log, fsync on',
  effectsPerStep: 1,
  async start({ folder }) {
    const installation = await installed({
      name: `restate-${version}`,
      packages: [`@restatedev/restate-server@${version}`, `@restatedev/restate-sdk@${sdkVersion}`],
    });
    const [ingress, admin, node, service] = await ports();
    const server = startChild({
      command: serverIn(installation),
      args: [
        '--base-dir',
        join(folder, 'restate'),
        '--node-name',
        'bench',
        '--config-file',
        '/dev/null',
      ],
      role: 'anywhere',
      env: {
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'error',
      },
    });
    try {
      for (const port of [ingress, admin]) await listening(port, AbortSignal.timeout(60_000));
      const addresses = [ingress, admin].map((port) => `http://127.0.0.1:${port}`);
      const engine = await startEngine({
        file: new URL('restate-child.ts', import.meta.url),
        args: [installation, ...addresses, String(service)],
      });
      const stop = async () => {
        await engine.stop();
        await server.stop();
      };
      return { ...engine, stop };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
};

async function ports() {
  return [await freePort(), await freePort(), await freePort(), await freePort()] as const;
}

function serverIn(folder: string): string {
  const { platform, arch } = process;
  const program = `@restatedev/restate-server-${platform}-${arch}/bin/restate-server`;
  return createRequire(join(folder, 'package.json')).resolve(program);
}
