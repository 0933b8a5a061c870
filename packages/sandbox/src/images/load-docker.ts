import type Docker from 'dockerode';

export interface DockerAddress {
  /** Default: what `DOCKER_HOST` says, else `/var/run/docker.sock`. */
  readonly socketPath?: string;
}

/** The client of the daemon. Nothing is sent by this. */
export async function loadDocker({ socketPath }: DockerAddress = {}): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  return new Client(socketPath === undefined ? {} : { socketPath });
}
