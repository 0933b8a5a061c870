export { buildTestImage } from './build-test-image.ts';
export { makeTestBackend } from './make-test-backend.ts';
export { startDocker, type TestDocker } from './start-docker.ts';
