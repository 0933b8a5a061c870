import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import * as z from 'zod';
import { freePort } from '../keeper/free-port.ts';
import { sleep } from '../sleep.ts';
import { containerOptions } from './container-options.ts';
import { atDaemon, orMissing, statusOf, wordsOf } from './docker-client.ts';
import type { DockerConfig } from './docker-config.ts';

const portTries = 5;
const pollEvery = 250;
const shownLines = 20;

const inspectSchema = z.object({
  Id: z.string(),
  Image: z.string(),
  RestartCount: z.number(),
  State: z.object({
    Running: z.boolean(),
    Restarting: z.boolean(),
    ExitCode: z.number(),
    OOMKilled: z.boolean(),
    Error: z.string(),
  }),
  HostConfig: z.object({
    PortBindings: z
      .record(z.string(), z.array(z.object({ HostPort: z.string() })).nullable())
      .nullable(),
  }),
});
export type ContainerState = z.infer<typeof inspectSchema>;

/** The containers of one project's releases. */
export class Containers {
  readonly #docker: Docker;
  readonly #project: string;
  /** Two folders may have a project of the same name. */
  readonly #owner: string;

  constructor(docker: Docker, { project, folder }: { project: string; folder: string }) {
    this.#docker = docker;
    this.#project = project;
    this.#owner = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  }

  /** What everything of this project here is labelled with. */
  get owner(): string {
    return `forge.deploy=${this.#owner}`;
  }

  labels(release: string): Record<string, string> {
    return {
      'forge.deploy': this.#owner,
      'forge.project': this.#project,
      'forge.release': release,
    };
  }

  /** A container of exactly this image that runs, and its port on this machine. */
  async ensure(
    release: string,
    { image, config, signal }: { image: string; config: DockerConfig; signal: AbortSignal },
  ): Promise<number> {
    return await atDaemon({ what: 'start a container', signal, ms: 120_000 }, async () => {
      const there = await this.find(release);
      if (there?.State.Running && there.Image === image) {
        const port = portOf(there, config);
        if (port !== undefined) return port;
      }
      for (let tried = 1; ; tried += 1) {
        await this.remove(release, 0);
        const port = await freePort();
        const container = await this.#docker.createContainer(
          containerOptions({
            ...{ name: this.#name(release), image, port, config },
            labels: this.labels(release),
          }),
        );
        try {
          await container.start();
          return port;
        } catch (error) {
          // Somebody took the port in between.
          if (
            tried < portTries &&
            /port is already allocated|address already in use/i.test(wordsOf(error))
          ) {
            continue;
          }
          await this.remove(release, 0);
          throw error;
        }
      }
    });
  }

  async find(release: string): Promise<ContainerState | undefined> {
    const found: unknown = await this.#container(release).inspect().catch(orMissing);
    return found === undefined ? undefined : inspectSchema.parse(found);
  }

  /** Resolves with how it ended, as the rest of a sentence; rejects when the signal aborts. */
  async ended(release: string, signal: AbortSignal): Promise<string> {
    for (;;) {
      const state = await this.find(release);
      if (state === undefined) return 'was removed';
      if (!state.State.Running || state.State.Restarting) return howItEnded(state);
      await sleep(pollEvery, signal);
    }
  }

  /** The last lines it printed. */
  async log(release: string): Promise<string[]> {
    const options = { stdout: true, stderr: true, tail: shownLines, follow: false as const };
    const bytes = await this.#container(release)
      .logs(options)
      .catch(() => Buffer.alloc(0));
    return textOf(bytes)
      .split('\n')
      .filter((line) => line !== '')
      .slice(-shownLines);
  }

  /** From now on Docker starts it again when it ends, also after a restart of the machine. */
  async keepAlive(release: string): Promise<void> {
    await this.#container(release).update({ RestartPolicy: { Name: 'unless-stopped' } });
  }

  async remove(release: string, graceS: number): Promise<void> {
    const container = this.#container(release);
    if (graceS > 0) await container.stop({ t: Math.ceil(graceS) }).catch(isStoppedOrMissing);
    await container.remove({ force: true, v: true }).catch(isGoneOrGoing);
  }

  /** Releases that have a container. */
  async releases(): Promise<string[]> {
    const found = await this.#docker.listContainers({
      all: true,
      filters: { label: [this.owner] },
    });
    return found.flatMap(({ Labels }) => Labels['forge.release'] ?? []);
  }

  #container(release: string): Docker.Container {
    return this.#docker.getContainer(this.#name(release));
  }

  #name(release: string): string {
    return `forge-${this.#owner}-${release}`;
  }
}

export function howItEnded({ State, RestartCount }: ContainerState): string {
  const why = State.OOMKilled ? ' (it ran out of memory; see memory_mb)' : '';
  const times = RestartCount > 0 ? ` and was restarted ${RestartCount} times` : '';
  return `ended with code ${State.ExitCode}${why}${State.Error === '' ? '' : ` (${State.Error})`}${times}`;
}

function portOf(state: ContainerState, config: DockerConfig): number | undefined {
  const bound = state.HostConfig.PortBindings?.[`${config.container_port}/tcp`]?.[0]?.HostPort;
  return bound === undefined ? undefined : Number(bound);
}

function isStoppedOrMissing(error: unknown): void {
  if (statusOf(error) !== 304 && statusOf(error) !== 404) throw error;
}

/** 409: somebody else removes it right now. */
function isGoneOrGoing(error: unknown): void {
  if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
}

/** Docker puts a head of eight bytes before each piece of a log: which stream, and how long. */
function textOf(log: Buffer): string {
  let text = '';
  for (let at = 0; at + 8 <= log.length; ) {
    const size = log.readUInt32BE(at + 4);
    text += log.toString('utf8', at + 8, at + 8 + size);
    at += 8 + size;
  }
  return text;
}
