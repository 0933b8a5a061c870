import { createBubblewrapBackend } from '../../src/bubblewrap/create-bubblewrap-backend.ts';
import { createDockerBackend } from '../../src/docker/create-docker-backend.ts';
import { createProcessBackend } from '../../src/process/create-process-backend.ts';
import { startDocker } from '../../src/testing/start-docker.ts';
import type { AbuseBackend } from './abuse-case.ts';
import { buildAbuseImage } from './abuse-image.ts';
import type { Target } from './stage.ts';

const nothing = async () => undefined;

/** Real backends, as a user has them. */
export const makeTarget: Readonly<Record<AbuseBackend, () => Promise<Target>>> = {
  docker: async () => {
    const daemon = await startDocker();
    try {
      const { socketPath } = daemon;
      const image = await buildAbuseImage(daemon);
      return {
        backend: createDockerBackend({ socketPath, image }),
        close: async () => daemon.stop(),
      };
    } catch (error) {
      daemon.stop();
      throw error;
    }
  },
  bubblewrap: async () => ({
    backend: createBubblewrapBackend(),
    close: nothing,
  }),
  process: async () => ({
    backend: createProcessBackend({ trusted: true }),
    close: nothing,
  }),
};
