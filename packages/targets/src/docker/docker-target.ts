import { messageOf } from '@forge/core';
import { deployFailed } from '../deploy-failed.ts';
import { safeName } from '../files/safe-name.ts';
import { checkKept } from '../keeper/check-kept.ts';
import { keptReleases } from '../keeper/keeper-state.ts';
import { publicPortProblems } from '../keeper/public-port-problems.ts';
import { stopKeeper } from '../keeper/stop-keeper.ts';
import { switchOrNot } from '../keeper/switch-or-not.ts';
import type { Target, TargetContext, TargetProblem } from '../target.ts';
import { activateImage } from './activate-image.ts';
import { buildContext } from './build-context.ts';
import { buildImage } from './build-image.ts';
import { Containers, howItEnded } from './containers.ts';
import { daemonProblems } from './daemon-problems.ts';
import { atDaemon, type DockerAddress, loadDocker } from './docker-client.ts';
import { type DockerConfig, dockerConfigSchema } from './docker-config.ts';
import { DockerReleases } from './docker-releases.ts';
import { hasImage, readDetail, toBuilt } from './image-detail.ts';
import { pushImage } from './push-image.ts';

type Context = TargetContext<DockerConfig>;

/**
 * Runs any Dockerfile with the Docker of this machine: the image is built, and its exact digest runs
 * in a container beside the one before. The same keeper as that of processes gives the healthy one
 * the traffic.
 */
export function createDockerTarget(address: DockerAddress = {}): Target<DockerConfig> {
  return {
    name: 'docker',
    config: dockerConfigSchema,

    async validate(context, source) {
      const { config, signal } = context;
      const problems: TargetProblem[] = [];
      try {
        buildContext(source.path, config);
      } catch (error) {
        const fix = 'Correct it, or set deploy.config.dockerfile and deploy.config.context.';
        problems.push({ problem: messageOf(error), fix });
      }
      const daemon = await daemonProblems(await loadDocker(address), signal);
      return [...problems, ...daemon, ...(await publicPortProblems(context))];
    },

    async build(context, source, { id }) {
      const { config, folder, signal, tell } = context;
      const docker = await loadDocker(address);
      const release = safeName(id);
      const files = new DockerReleases(folder);
      const there = files.read(release);
      if (there !== undefined && (await hasImage(docker, there.image))) return toBuilt(there);
      const repository = repositoryOf(context);
      const image = await buildImage({
        ...{ docker, path: source.path, config, tell, signal },
        tag: `${repository}:${release}`,
        labels: {
          ...new Containers(docker, context).labels(release),
          'org.opencontainers.image.revision': source.commit,
        },
      });
      const { registry } = config;
      const pushed =
        registry === undefined
          ? undefined
          : await pushImage({ docker, registry, repository, tag: release, tell, signal });
      const detail = { release, image, repository, ...(pushed !== undefined && { pushed }) };
      // Killed before this line: the same release again is built from Docker's cache.
      files.write(release, { v: 1, ...detail, builtAt: Date.now(), config });
      return toBuilt(detail);
    },

    async deploy(context, built, { id }) {
      const detail = readDetail(built, id);
      const docker = await loadDocker(address);
      return await switchOrNot(context, detail.release, (asking) =>
        activateImage(docker, asking, { detail, keepPrevious: true }),
      );
    },

    async rollback(context, { id, built }) {
      const detail = readDetail(built, id);
      return await activateImage(await loadDocker(address), context, {
        detail,
        keepPrevious: false,
      });
    },

    async healthCheck(context) {
      const [live] = keptReleases(context.folder);
      if (live !== undefined) {
        const containers = new Containers(await loadDocker(address), context);
        const what = 'tell how the container is';
        const state = await atDaemon({ what, signal: context.signal }, () => containers.find(live));
        const why =
          state === undefined
            ? 'has no container any more'
            : state.State.Running && !state.State.Restarting
              ? undefined
              : howItEnded(state);
        if (why !== undefined) {
          const log = await containers.log(live);
          return {
            healthy: false,
            report: `${live}: ${deployFailed(`It ${why}.`, { log }).message}`,
          };
        }
      }
      return await checkKept(context, context.config.health);
    },

    async stop(context) {
      const { signal, config } = context;
      await stopKeeper(context);
      const containers = new Containers(await loadDocker(address), context);
      await atDaemon({ what: 'end the containers', signal, ms: 120_000 }, async () => {
        const all = await containers.releases();
        await Promise.all(all.map((each) => containers.remove(each, config.stop_grace_s)));
      });
    },
  };
}

function repositoryOf({ config, project }: Context): string {
  const { registry, image_prefix = registry === undefined ? 'forge-releases' : undefined } = config;
  return [registry, image_prefix, safeName(project)].filter((part) => part !== undefined).join('/');
}
