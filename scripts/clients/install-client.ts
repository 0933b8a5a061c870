import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNpm } from '../test-model/run-npm.ts';
import type { CodingClient } from './coding-client.ts';

/** A client's program and what it is run by, if it is a script. */
export type Program = readonly [command: string, ...args: string[]];

/** Installs a client into the cache unless it is there already. */
export async function installClient(client: CodingClient, cache: string): Promise<Program> {
  const folder = join(cache, 'clients', `${client.name}-${client.version}`);
  const installed = programIn(client, folder);
  if (installed !== undefined) return installed;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  await runNpm(['install', `${client.package}@${client.version}`], { folder });
  const program = programIn(client, folder);
  if (program !== undefined) return program;
  throw new Error(`${client.package}@${client.version} has no program for this machine.`);
}

function programIn({ program }: CodingClient, folder: string): Program | undefined {
  for (const pattern of program) {
    const [found] = globSync(pattern, { cwd: folder }).sort();
    if (found === undefined) continue;
    const path = join(folder, found);
    return path.endsWith('.js') ? [process.execPath, path] : [path];
  }
  return undefined;
}
