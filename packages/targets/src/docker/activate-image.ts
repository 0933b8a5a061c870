import { ForgeError, messageOf } from '@forge/core';
import type Docker from 'dockerode';
import { deployFailed } from '../deploy-failed.ts';
import { safeName } from '../files/safe-name.ts';
import { askKeeper, askRunningKeeper } from '../keeper/ask-keeper.ts';
import { activatedSchema } from '../keeper/control-messages.ts';
import { keptReleases } from '../keeper/keeper-state.ts';
import type { Live, TargetContext } from '../target.ts';
import { Containers } from './containers.ts';
import { atDaemon } from './docker-client.ts';
import type { DockerConfig } from './docker-config.ts';
import { DockerReleases } from './docker-releases.ts';
import { hasImage, type ImageDetail, toBuilt } from './image-detail.ts';
import { pruneImages } from './prune-images.ts';
import { pullImage } from './push-image.ts';

type Context = TargetContext<DockerConfig>;

const settleMs = 30_000;

/** Runs an image by its digest, proves it healthy, and gives it the traffic. */
export async function activateImage(
  docker: Docker,
  context: Context,
  { detail, keepPrevious }: { readonly detail: ImageDetail; readonly keepPrevious: boolean },
): Promise<Live> {
  const { folder, signal, tell } = context;
  const { release, image } = detail;
  await ensureImage(docker, context, detail);
  const files = new DockerReleases(folder);
  // What it was built with, if that is still known: an earlier release is started as it was.
  const config = files.read(release)?.config ?? context.config;
  const containers = new Containers(docker, context);
  const died = new AbortController();
  const over = new AbortController();
  let url: string;
  try {
    const port = await containers.ensure(release, { image, config, signal });
    tell(`Started ${image.slice(0, 19)} on port ${port}.`);
    void containers.ended(release, over.signal).then(
      (how) => died.abort(how),
      () => {},
    );
    const order = {
      op: 'activate',
      spec: {
        id: release,
        runner: { type: 'address', port },
        health: config.health,
        stopGraceMs: config.stop_grace_s * 1000,
        restarts: { attempts: 0, firstDelayMs: 1 },
      },
      ...{ host: context.config.host, port: context.config.port, keepPrevious },
    } as const;
    const asking = { signal: AbortSignal.any([signal, died.signal]), tell };
    ({ url } = activatedSchema.parse(await askKeeper(folder, order, asking)));
  } catch (error) {
    over.abort(); // It is removed now: that is no death of its own.
    throw await explain(error, { containers, release, folder, how: died.signal.reason });
  } finally {
    over.abort();
  }
  // It has the traffic: nothing that goes wrong from here on is a failure of the deployment.
  if (files.read(release) === undefined) {
    files.write(release, { v: 1, ...detail, builtAt: Date.now(), config });
  }
  try {
    await atDaemon({ what: 'clear up', signal, ms: 120_000 }, async () => {
      await containers.keepAlive(release);
      await removeOthers(containers, folder, config);
      files.prune({ keep: context.config.keep, needed: keptReleases(folder) });
      const name = safeName(context.project);
      await pruneImages(docker, { owner: containers.owner, name, kept: files.images() });
    });
  } catch (error) {
    tell(`It is live, but not everything is in order: ${messageOf(error)}`);
  }
  return { ...toBuilt(detail), url };
}

/** Removes the container of a release that did not get the traffic, and says why it did not. */
async function explain(
  error: unknown,
  {
    containers,
    release,
    folder,
    how,
  }: { containers: Containers; release: string; folder: string; how: unknown },
): Promise<unknown> {
  // The keeper may be about to switch to it when its caller lets go: its word counts.
  const signal = AbortSignal.timeout(settleMs);
  await askRunningKeeper(folder, { op: 'settle' }, { signal }).catch(() => {});
  const log = await containers.log(release);
  if (!keptReleases(folder).includes(release)) await containers.remove(release, 0).catch(() => {});
  if (how !== undefined) {
    return deployFailed(`The container ${String(how)} before it was healthy.`, { log });
  }
  // Of the keeper's own: it does not see what a container prints.
  if (ForgeError.is(error, 'deploy_failed'))
    return deployFailed(error.message, { log, cause: error });
  return error;
}

async function removeOthers(
  containers: Containers,
  folder: string,
  { stop_grace_s }: DockerConfig,
): Promise<void> {
  const kept = keptReleases(folder);
  const all = await containers.releases();
  const others = all.filter((each) => !kept.includes(each));
  await Promise.all(others.map((each) => containers.remove(each, stop_grace_s)));
}

/** The exact image is here, or comes back from the registry. */
async function ensureImage(docker: Docker, context: Context, detail: ImageDetail): Promise<void> {
  const { config, tell, signal } = context;
  const { pushed: digest, repository, image } = detail;
  if (await hasImage(docker, image)) return;
  const { registry } = config;
  if (registry !== undefined && digest !== undefined) {
    await pullImage({ docker, registry, repository, digest, tell, signal });
    if (await hasImage(docker, image)) return;
  }
  throw deployFailed(
    `The image ${image} is not here any more (deploy.config.keep is ${config.keep}). Deploy its commit again.`,
  );
}
