import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import type Docker from 'dockerode';
import { readTar } from '../archive/read-tar.ts';
import type { WriteEntry } from '../archive/write-tar.ts';
import { writeTar } from '../archive/write-tar.ts';
import { isMissing } from './build-image.ts';
import { checkDockerfile, longestDockerfile } from './check-dockerfile.ts';
import { dockerMessages, explainDocker, lineOf } from './docker-messages.ts';
import { findUsable, ownerLabel } from './find-usable.ts';
import { checkImageName } from './image-name.ts';
import type {
  BuildEvent,
  BuildRequest,
  ImageService,
  PushEvent,
  PushRequest,
} from './image-service.ts';
import { type DockerAddress, loadDocker } from './load-docker.ts';

const buildMemory = 2 * 1024 ** 3;

/**
 * Builds and pushes images of callers who are not trusted, with the daemon of this machine.
 *
 * A build has no network unless it is asked for, stands only on images that are here already and are
 * its owner's or the operator's, and gives its tag to its owner alone. Nothing is pulled, also with a
 * network: the daemon would fetch it from the host's own. Its steps run as Docker runs build steps:
 * as root in a container with Docker's usual profile and without a limit of disk, which is less than a
 * sandbox holds.
 */
export function createImageService(address: DockerAddress = {}): ImageService {
  return {
    async find(image, owner) {
      return findUsable(await loadDocker(address), image, owner);
    },
    async *build(request) {
      yield* build(await loadDocker(address), request);
    },
    async *push(request) {
      yield* push(await loadDocker(address), request);
    },
  };
}

async function* build(docker: Docker, request: BuildRequest): AsyncGenerator<BuildEvent> {
  const { tag, owner, buildArgs, network } = request;
  await checkTag(docker, tag, owner);
  const failed = new AbortController();
  const signal = AbortSignal.any([request.signal, failed.signal]);
  const dockerfile = `.forge-${randomUUID()}.Dockerfile`;
  // The client of the daemon does not hear what it is sent fail: the request is ended instead.
  const context = Readable.from(
    (async function* () {
      try {
        yield* writeTar(checkedEntries(docker, request, dockerfile));
      } catch (error) {
        failed.abort(error);
      }
    })(),
  );
  try {
    const stream = await docker.buildImage(context, {
      ...{ t: tag, dockerfile, buildargs: { ...buildArgs }, abortSignal: signal },
      ...{ rm: true, forcerm: true, memory: buildMemory, memswap: buildMemory },
      networkmode: network ? 'default' : 'none',
      // Steps of others are not taken over, whose results may be secret: only those of this image.
      cachefrom: JSON.stringify([tag]),
      labels: { [ownerLabel]: owner },
    });
    for await (const message of dockerMessages(stream, signal)) {
      const line = lineOf(message);
      if (line !== undefined) yield { line };
    }
    const { Id: imageId, Size: sizeBytes } = await docker.getImage(tag).inspect();
    yield { built: { imageId, tag, sizeBytes } };
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : explainDocker(error, request.signal);
  } finally {
    context.destroy();
  }
}

/** The context without its Dockerfile, and that again at the end, checked, by a name nobody knew. */
async function* checkedEntries(
  docker: Docker,
  { context, dockerfile, owner }: BuildRequest,
  name: string,
): AsyncGenerator<WriteEntry> {
  let text: string | undefined;
  for await (const entry of readTar(context)) {
    if (entry.name !== dockerfile.replace(/^(?:\.\/)+/, '')) {
      yield entry;
      continue;
    }
    if (entry.type !== 'file') {
      throw new ForgeError(
        'not_allowed',
        `${dockerfile} in the context is a ${entry.type}, no file.`,
      );
    }
    if (entry.size > longestDockerfile) {
      throw new ForgeError(
        'not_allowed',
        `${dockerfile} is longer than ${longestDockerfile} bytes.`,
      );
    }
    const parts: Uint8Array[] = [];
    for await (const part of entry.body) parts.push(part);
    text = Buffer.concat(parts).toString();
  }
  if (text === undefined) {
    throw new ForgeError('invalid_options', `There is no ${dockerfile} in the context.`);
  }
  const images = checkDockerfile(text);
  for (const image of images) await findUsable(docker, image, owner);
  const body = Buffer.from(text);
  yield { name, type: 'file', link: '', mode: 0o644, mtime: 0, size: body.length, body: [body] };
}

/** Lower-case names with an optional registry in front and a tag behind, as Docker takes them. */
const tagPattern =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?$/;

async function checkTag(docker: Docker, tag: string, owner: string): Promise<void> {
  if (!tagPattern.test(tag)) {
    throw new ForgeError(
      'invalid_options',
      `"${tag}" is no name for an image. Such as: team/app:1`,
    );
  }
  // Docker leaves the name of its own registry away.
  if (/^(?:(?:index\.)?docker\.io\/)?forge\//.test(tag)) {
    throw new ForgeError('not_allowed', 'Names that begin with forge/ are for Forge itself.');
  }
  const whose = await ownerOf(docker, tag);
  if (whose === undefined || whose.owner === owner) return;
  throw new ForgeError('already_exists', `There is an image ${tag} here that is not yours.`);
}

/** Undefined where there is no such image. */
async function ownerOf(docker: Docker, tag: string) {
  try {
    const { Config } = await docker.getImage(checkImageName(tag)).inspect();
    return { owner: Config.Labels?.[ownerLabel] };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw explainDocker(error);
  }
}

async function* push(docker: Docker, request: PushRequest): AsyncGenerator<PushEvent> {
  const { tag, owner, auth, signal } = request;
  if ((await ownerOf(docker, tag))?.owner !== owner) {
    throw new ForgeError('not_found', `There is no image ${tag} of yours here. Build it first.`);
  }
  const at = tag.lastIndexOf(':');
  const hasVersion = at > tag.lastIndexOf('/');
  const repository = hasVersion ? tag.slice(0, at) : tag;
  const version = hasVersion ? tag.slice(at + 1) : 'latest';
  try {
    const stream = await docker.getImage(repository).push({
      tag: version,
      authconfig: auth ?? { username: '', password: '' },
      abortSignal: signal,
    });
    let pushed: PushEvent | undefined;
    for await (const message of dockerMessages(stream, signal)) {
      const { Digest: digest, Size: sizeBytes = 0 } = message.aux ?? {};
      if (digest !== undefined) pushed = { pushed: { tag, digest, sizeBytes } };
      const line = lineOf(message);
      if (line !== undefined) yield { line };
    }
    if (pushed === undefined)
      throw new ForgeError('sandbox_failed', 'The registry told no digest.');
    yield pushed;
  } catch (error) {
    throw explainDocker(error, signal);
  }
}
