import type Docker from 'dockerode';
import { deployFailed } from '../deploy-failed.ts';
import { followMessages } from './build-messages.ts';
import { atDaemon } from './docker-client.ts';
import { registryLogin } from './registry-login.ts';

const pushMs = 1_800_000;
const nobody = { username: '', password: '', serveraddress: '' };

interface Transfer {
  readonly docker: Docker;
  readonly registry: string;
  /** With the registry in front, without a tag. */
  readonly repository: string;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Pushes a tag and gives the digest the registry knows it by: `sha256:…` */
export async function pushImage({
  docker,
  registry,
  repository,
  tag,
  tell,
  signal,
}: Transfer & { readonly tag: string }): Promise<string> {
  return await atDaemon({ what: 'push the image', signal, ms: pushMs }, async (limit) => {
    const login = registryLogin(registry);
    const authconfig = login ?? nobody;
    const stream = await docker.getImage(repository).push({ tag, authconfig, abortSignal: limit });
    const how = login === undefined ? ' without a login (see "docker login")' : '';
    const what = `The push to ${repository}${how}`;
    const { digest } = await followMessages(stream, { docker, what, tell, signal: limit });
    if (digest === undefined) throw deployFailed(`${what} gave no digest.`);
    return digest;
  });
}

/** Gets an image back by its digest. */
export async function pullImage({
  docker,
  registry,
  repository,
  digest,
  tell,
  signal,
}: Transfer & { readonly digest: string }): Promise<void> {
  await atDaemon({ what: 'pull the image', signal, ms: pushMs }, async (limit) => {
    const authconfig = registryLogin(registry) ?? nobody;
    const stream = await docker.pull(`${repository}@${digest}`, {
      authconfig,
      abortSignal: limit,
    });
    await followMessages(stream, {
      docker,
      what: `The pull of ${repository}`,
      tell,
      signal: limit,
    });
  });
}
