import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { openShell } from '../channel/shell.ts';
import type { OpenStreams } from '../channel/streams.ts';
import { type Egress, openEgress } from '../egress/open-egress.ts';
import type { Network } from '../sandbox.ts';
import { type ContainerPlan, containerOptions, scratch, workspace } from './container-options.ts';
import { demultiplex } from './demultiplex.ts';
import { statusOf } from './docker-failure.ts';
import { discard, type StartedContainer } from './docker-sandbox.ts';
import { commandUser } from './users.ts';

export interface StartContainer extends Omit<ContainerPlan, 'volumes'> {
  readonly docker: Docker;
  readonly env: Readonly<Record<string, string>>;
  /** Told if nothing inside answers any more. */
  readonly onBroken: (problem: string) => void;
  readonly signal: AbortSignal;
}

/** One try. Fails with nothing left behind. */
export async function startContainer(options: StartContainer): Promise<StartedContainer> {
  const { docker, signal, limits, network } = options;
  signal.throwIfAborted();
  const { Config } = await docker.getImage(options.image).inspect();
  const volumes = Object.keys(Config.Volumes ?? {});
  // Not given up half-way: nobody would know of what the daemon made then.
  const container = await docker.createContainer(containerOptions({ ...options, volumes }));
  const gone = container.wait({ condition: 'removed' }).then(
    () => {},
    () => {}, // It was removed before we asked.
  );
  let lifeline: StartedContainer['lifeline'] | undefined;
  let egress: Egress | undefined;
  try {
    signal.throwIfAborted();
    const attached = asDuplex(await container.attach({ stream: true, stdin: true, hijack: true }));
    lifeline = attached;
    attached.on('error', () => attached.destroy());
    attached.resume();
    await container.start({ abortSignal: signal });
    egress = await wayOut(container, network, signal);
    const shell = await openShell({
      open: opener(container),
      workspace,
      scratch,
      limits,
      env: { ...egress?.variables, ...options.env },
      ended: () => howItEnded(container, gone),
      onBroken: options.onBroken,
      signal,
    });
    return { container, lifeline: attached, gone, shell, egress };
  } catch (error) {
    if (lifeline !== undefined) await discard({ lifeline, container, gone, egress });
    else await container.remove({ force: true }).catch(() => {});
    throw error;
  }
}

async function wayOut(container: Docker.Container, network: Network, signal: AbortSignal) {
  if (network.type !== 'allow') return undefined;
  const { State } = await container.inspect();
  return openEgress({ hosts: network.hosts, pid: State.Pid, signal });
}

/** A process in the container, over a connection of its own. */
function opener(container: Docker.Container): OpenStreams {
  return async ({ argv, signal }) => {
    // The signal is for the opening; dockerode would cut the connection by it at any time later.
    const opening = new AbortController();
    const abort = () => opening.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      const exec = await container.exec({
        Cmd: [...argv],
        User: `${commandUser}:${commandUser}`,
        WorkingDir: workspace,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal: opening.signal,
      });
      const socket = await exec.start({ hijack: true, stdin: true, abortSignal: opening.signal });
      const { stdout, stderr } = demultiplex(socket);
      return { stdin: socket, stdout, stderr, close: () => void socket.destroy() };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}

/** What dockerode calls a stream that reads and writes is the connection itself. */
function asDuplex(stream: NodeJS.ReadWriteStream): Duplex {
  if (stream instanceof Duplex) return stream;
  throw new Error('dockerode gave no connection');
}

/** How long the news that a container is dead may take after its streams have ended. */
const newsMs = 300;

async function howItEnded(
  container: Docker.Container,
  gone: Promise<void>,
): Promise<string | undefined> {
  const stop = new AbortController();
  try {
    await Promise.race([gone, delay(newsMs, undefined, { signal: stop.signal })]);
    const { State } = await container.inspect();
    return State.Running ? undefined : 'The container ended.';
  } catch (error) {
    if (statusOf(error) === 404) return 'The container ended, or was removed from outside.';
    return 'The Docker daemon does not answer any more.';
  } finally {
    stop.abort();
  }
}
