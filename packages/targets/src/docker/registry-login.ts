import { join } from 'node:path';
import * as z from 'zod';
import { dockerConfigFolder } from '../config.ts';
import { readJson } from '../files/read-json.ts';

const configSchema = z.object({
  auths: z.record(z.string(), z.object({ auth: z.string().optional() })).optional(),
});

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

/** The login `docker login` left for a registry. Helpers that keep logins elsewhere are not asked. */
export function registryLogin(
  registry: string,
  folder: string = dockerConfigFolder(),
): RegistryLogin | undefined {
  const [host = registry] = registry.split('/');
  const { auths = {} } = readJson(join(folder, 'config.json'), configSchema) ?? {};
  // Docker's own registry is known by another name there.
  const name = host === 'docker.io' ? 'index.docker.io' : host;
  const entry = auths[name] ?? auths[`https://${name}`] ?? auths[`https://${name}/v1/`];
  if (entry?.auth === undefined) return undefined;
  const text = Buffer.from(entry.auth, 'base64').toString();
  const cut = text.indexOf(':');
  if (cut < 0) return undefined;
  return {
    ...{ username: text.slice(0, cut), password: text.slice(cut + 1) },
    serveraddress: host,
  };
}
