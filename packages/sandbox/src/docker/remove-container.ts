import type { Container } from 'dockerode';
import { statusOf } from './docker-failure.ts';
import { inTime } from './in-time.ts';

/** Kills and removes it with its volumes that have no name. Fine if it is gone or going already. */
export async function removeContainer(container: Container, ms: number): Promise<void> {
  try {
    await inTime({ ms, what: 'remove a container' }, (abortSignal) => {
      const options = { force: true, v: true, abortSignal };
      return container.remove(options);
    });
  } catch (error) {
    const status = statusOf(error);
    if (status !== 404 && status !== 409) throw error;
  }
}
