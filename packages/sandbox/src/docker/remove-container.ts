import type { Container } from 'dockerode';
import { statusOf } from './docker-failure.ts';

/** Kills and removes it with its volumes that have no name. Fine if it is gone or going already. */
export async function removeContainer(container: Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    if (status !== 404 && status !== 409) throw error;
  }
}
