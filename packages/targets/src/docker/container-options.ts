import type { ContainerCreateOptions } from 'dockerode';
import type { DockerConfig } from './docker-config.ts';

/** What usual services need: files of other owners, another user, a low port. */
const capabilities = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
];

/**
 * A container of a release. It is reached from this machine alone, gets no new privileges and few
 * capabilities, and has limits of memory, processes and log. Docker starts it again only once it
 * was healthy.
 */
export function containerOptions({
  name,
  image,
  port,
  config,
  labels,
}: {
  readonly name: string;
  /** Its digest: a tag may come to mean something else. */
  readonly image: string;
  /** On this machine. */
  readonly port: number;
  readonly config: DockerConfig;
  readonly labels: Readonly<Record<string, string>>;
}): ContainerCreateOptions {
  const inside = `${config.container_port}/tcp`;
  const memory = config.memory_mb * 1024 * 1024;
  const env = { ...config.env, PORT: String(config.container_port), HOST: '0.0.0.0' };
  return {
    name,
    Image: image,
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Labels: { ...labels },
    ExposedPorts: { [inside]: {} },
    StopTimeout: Math.ceil(config.stop_grace_s),
    HostConfig: {
      Init: true,
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      SecurityOpt: ['no-new-privileges'],
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: config.pids,
      ...(config.cpus !== undefined && { NanoCpus: Math.round(config.cpus * 1e9) }),
      PortBindings: { [inside]: [{ HostIp: '127.0.0.1', HostPort: String(port) }] },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '4m', 'max-file': '2' } },
      RestartPolicy: { Name: 'no' },
    },
  };
}
