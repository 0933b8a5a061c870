import { createDockerBackend } from '../docker/create-docker-backend.ts';
import type { SandboxBackend } from '../sandbox.ts';
import { startDocker } from './start-docker.ts';

/** A backend on the daemon of the tests, with the image of the tests. */
export async function makeTestBackend(): Promise<SandboxBackend> {
  const { socketPath, testImage } = await startDocker();
  return createDockerBackend({ socketPath, image: await testImage() });
}
