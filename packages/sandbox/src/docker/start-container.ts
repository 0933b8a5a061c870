import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { openShell } from '../channel/shell.ts';
import type { OpenStreams } from '../channel/streams.ts';
import { type Egress, openEgress } from '../egress/open-egress.ts';
import type { Network } from '../sandbox.ts';
import { type ContainerPlan, containerOptions, scratch, workspace } from './container-options.ts';
import { createContainer, type Engine } from './create-container.ts';
import { demultiplex } from './demultiplex.ts';
import { statusOf } from './docker-failure.ts';
import { discard, type StartedContainer } from './docker-ground.ts';
import { inTime } from './in-time.ts';
import { removeContainer } from './remove-container.ts';
import { commandUser } from './users.ts';

export interface StartContainer extends Omit<ContainerPlan, 'volumes'> {
  readonly engine: Engine;
  readonly env: Readonly<Record<string, string>>;
  /** Told if nothing inside answers any more. */
  readonly onBroken: (problem: string) => void;
  readonly signal: AbortSignal;
}

/**
 * One try. Fails with nothing left behind, as far as the daemon answers; what it has not removed in a
 * moment is left to `leftovers`.
 */
export async function startContainer(options: StartContainer): Promise<StartedContainer> {
  const { signal, engine } = options;
  const { createMs: ms, removeMs, leftovers } = engine;
  const container = await make(options);
  const waiting = new AbortController();
  const gone = container.wait({ condition: 'removed', abortSignal: waiting.signal }).then(
    () => {},
    () => {}, // It was removed before we asked, or we ask no more.
  );
  const made = { container, gone, forget: () => waiting.abort(), removeMs };
  const held: Held = {};
  let starting: ReturnType<typeof start> | undefined;
  try {
    const started = await inTime({ ms, what: 'start a container', signal }, (ending) => {
      starting = start(options, { container, gone, held, signal: ending });
      return starting;
    });
    return { ...made, ...started };
  } catch (error) {
    await leftovers.add(undo({ made, held, starting }));
    throw error;
  }
}

/** Takes back a start that failed, after its last step: that may have opened something yet. */
async function undo(options: {
  readonly made: Omit<StartedContainer, 'lifeline' | 'shell' | 'egress'>;
  readonly held: Held;
  readonly starting: ReturnType<typeof start> | undefined;
}): Promise<void> {
  const { made, held, starting } = options;
  const late = await starting?.catch(() => undefined);
  late?.shell.end('The start was given up.');
  const { lifeline, egress } = held;
  if (lifeline !== undefined) return discard({ ...made, lifeline, egress });
  await removeContainer(made.container, made.removeMs).finally(made.forget);
}

/** What a start has opened so far. */
interface Held {
  lifeline?: Duplex;
  egress?: Egress | undefined;
}

async function make(options: StartContainer): Promise<Docker.Container> {
  const { engine, image, signal } = options;
  const limit = { ms: engine.createMs, what: 'say what is in an image', signal };
  const { Config } = await inTime(limit, () => engine.docker.getImage(image).inspect());
  const volumes = Object.keys(Config.Volumes ?? {});
  return createContainer(engine, containerOptions({ ...options, volumes }), signal);
}

async function start(
  { limits, network, env, onBroken }: StartContainer,
  about: {
    readonly container: Docker.Container;
    readonly gone: Promise<void>;
    readonly held: Held;
    readonly signal: AbortSignal;
  },
): Promise<Pick<StartedContainer, 'lifeline' | 'shell' | 'egress'>> {
  const { container, gone, held, signal } = about;
  const lifeline = await whileOpening(signal, async (abortSignal) =>
    asDuplex(await container.attach({ stream: true, stdin: true, hijack: true, abortSignal })),
  );
  held.lifeline = lifeline;
  lifeline.on('error', () => lifeline.destroy());
  lifeline.resume();
  await container.start({ abortSignal: signal });
  const egress = await wayOut(container, network, signal);
  held.egress = egress;
  const shell = await openShell({
    open: opener(container),
    workspace,
    scratch,
    limits,
    env: { ...egress?.variables, ...env },
    ended: () => howItEnded(container, gone),
    onBroken,
    signal,
  });
  return { lifeline, egress, shell };
}

async function wayOut(container: Docker.Container, network: Network, signal: AbortSignal) {
  if (network.type !== 'allow') return undefined;
  const { State } = await container.inspect({ abortSignal: signal });
  return openEgress({ hosts: network.hosts, pid: State.Pid, signal });
}

/** A process in the container, over a connection of its own. */
function opener(container: Docker.Container): OpenStreams {
  return ({ argv, signal }) =>
    whileOpening(signal, async (abortSignal) => {
      const exec = await container.exec({
        Cmd: [...argv],
        User: `${commandUser}:${commandUser}`,
        WorkingDir: workspace,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal,
      });
      const socket = await exec.start({ hijack: true, stdin: true, abortSignal });
      const { stdout, stderr } = demultiplex(socket);
      return { stdin: socket, stdout, stderr, close: () => void socket.destroy() };
    });
}

/** A signal for the opening alone; by the one it is given, dockerode would cut connections later. */
async function whileOpening<Result>(
  signal: AbortSignal,
  open: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const opening = new AbortController();
  const abort = () => opening.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await open(opening.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What dockerode calls a stream that reads and writes is the connection itself. */
function asDuplex(stream: NodeJS.ReadWriteStream): Duplex {
  if (stream instanceof Duplex) return stream;
  throw new Error('dockerode gave no connection');
}

/** How long the news that a container is dead may take after its streams have ended. */
const newsMs = 300;
/** How long it may take to say what it is. */
const inspectMs = 10_000;

async function howItEnded(
  container: Docker.Container,
  gone: Promise<void>,
): Promise<string | undefined> {
  const stop = new AbortController();
  try {
    await Promise.race([gone, delay(newsMs, undefined, { signal: stop.signal })]);
    const limit = { ms: inspectMs, what: 'say how a container ended' };
    const { State } = await inTime(limit, (abortSignal) => container.inspect({ abortSignal }));
    return State.Running ? undefined : 'The container ended.';
  } catch (error) {
    if (statusOf(error) === 404) return 'The container ended, or was removed from outside.';
    return 'The Docker daemon does not answer any more.';
  } finally {
    stop.abort();
  }
}
