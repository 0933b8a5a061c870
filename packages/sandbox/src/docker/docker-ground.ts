import type { Duplex } from 'node:stream';
import type { Container } from 'dockerode';
import type { Ground } from '../channel/shell-sandbox.ts';
import { workspace } from './container-options.ts';
import { inTime } from './in-time.ts';
import { readStats } from './read-stats.ts';
import { removeContainer } from './remove-container.ts';

/** What a container that has been started consists of. */
export interface StartedContainer extends Pick<Ground, 'shell' | 'egress'> {
  readonly container: Container;
  /** The input that keeps it alive. */
  readonly lifeline: Duplex;
  /** Settles once it is gone, however that came. */
  readonly gone: Promise<void>;
  /** Waits for that no longer. */
  readonly forget: () => void;
  /** The most a removal may take. */
  readonly removeMs: number;
}

/** A container, as a sandbox stands on it. */
export function dockerGround(started: StartedContainer, onEnd: () => void): Ground {
  const { container, shell, egress, gone, removeMs: ms } = started;
  return {
    backend: 'docker',
    workspace,
    shell,
    egress,
    gone: gone.then(() => 'The container ended, or was removed from outside.'),
    usage: async () =>
      readStats(
        await inTime({ ms, what: 'say what a container uses' }, (abortSignal) => {
          const options = { stream: false, 'one-shot': true, abortSignal } as const;
          return container.stats(options);
        }),
      ),
    remove: () => discard(started).finally(onEnd),
  };
}

/**
 * Removes a container and lets go of all that hangs on it. Where the daemon is silent this fails, but
 * without its lifeline the container ends by itself.
 */
export async function discard({
  lifeline,
  egress,
  container,
  gone,
  forget,
  removeMs,
}: Omit<StartedContainer, 'shell'>): Promise<void> {
  lifeline.destroy();
  await egress?.close();
  try {
    await removeContainer(container, removeMs);
    await inTime({ ms: removeMs, what: 'say that a container is gone' }, () => gone);
  } finally {
    forget();
  }
}
