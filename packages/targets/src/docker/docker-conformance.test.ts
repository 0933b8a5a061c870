import { startDocker } from '@forge/sandbox/testing';
import { buildNodeImage } from '../testing/build-node-image.ts';
import { removeImages } from '../testing/remove-images.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { createDockerTarget } from './docker-target.ts';

targetConformance('the docker target', async () => {
  const { docker, socketPath, stop } = await startDocker();
  const image = await buildNodeImage(docker);
  return {
    target: createDockerTarget({ socketPath }),
    config: { container_port: 3000, memory_mb: 128, stop_grace_s: 2 },
    files: {
      Dockerfile: `FROM ${image}\nCOPY . /app\nCMD ["node", "/app/server.mjs"]\n`,
    },
    async stop() {
      await removeImages(docker, 'forge-releases/project-*');
      stop();
    },
  };
});
