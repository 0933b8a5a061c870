import { after } from 'node:test';
import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import { createDockerBackend } from '../docker/create-docker-backend.ts';
import { startDocker } from '../testing/start-docker.ts';
import { backendThrough } from './testing/backend-through.ts';

const { socketPath, testImage, stop } = await startDocker();
const image = await testImage();

after(() => stop());

sandboxConformance({
  name: 'remote, on docker',
  make: () => backendThrough(createDockerBackend({ socketPath, image })),
  traits: { processes: true, isolated: true, holds: ['memory', 'pids', 'disk'] },
});
