import type Docker from 'dockerode';
import { inTime } from './in-time.ts';
import type { Leftovers } from './leftovers.ts';
import { removeContainer } from './remove-container.ts';

/** How long a container that nobody waits for any more may still arrive. */
const lateMs = 600_000;

export interface Engine {
  readonly docker: Docker;
  readonly leftovers: Leftovers;
  /** The most a container may take to be made, and again to be started. */
  readonly createMs: number;
  readonly removeMs: number;
}

/**
 * Makes a container, or gives up when the signal aborts or it takes too long. The question itself goes
 * on then, for nobody would know of what the daemon makes of it: a container that arrives late is
 * removed.
 */
export async function createContainer(
  { docker, leftovers, createMs, removeMs }: Engine,
  options: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Docker.Container> {
  signal.throwIfAborted();
  const asking = new AbortController();
  const making = docker.createContainer(
    Object.assign({ ...options }, { abortSignal: asking.signal }),
  );
  const what = 'make a container';
  try {
    return await inTime({ ms: createMs, what, signal }, () => making);
  } catch (error) {
    const arriving = inTime({ ms: lateMs, what, signal: leftovers.cut }, () => making);
    await leftovers.add(
      arriving
        .then((container) => removeContainer(container, removeMs))
        .finally(() => asking.abort()),
    );
    throw error;
  }
}
