import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import type Docker from 'dockerode';
import { writeTar } from '../archive/write-tar.ts';
import { bootstrapRootfs } from './bootstrap-rootfs.ts';
import { dockerMessages, endedBy, lineOf } from './docker-messages.ts';
import { checkImageName } from './image-name.ts';
import { type DockerAddress, loadDocker } from './load-docker.ts';
import { machineMirror } from './machine-mirror.ts';
import { dockerfileOf, type ImageName, type Recipe, recipes, recipeVersion } from './recipes.ts';

export interface BuildImageOptions extends DockerAddress {
  /** A Debian or Ubuntu image to stand on. Default for `base`: Debian, pulled or made; else `base`. */
  readonly from?: string;
  /** Where Debian's packages come from. Default: where this machine gets them. */
  readonly mirror?: string;
  /** Default `forge/<name>:latest`. */
  readonly tag?: string;
  /** Builds it even if there is one of the same making. */
  readonly fresh?: boolean;
  /** `detail`: what the daemon and its packages say, line by line. */
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

export type OnProgress = (line: string, about: { readonly detail: boolean }) => void;

export interface BuiltImage {
  readonly tag: string;
  readonly id: string;
  readonly sizeBytes: number;
  /** It was there already. */
  readonly reused: boolean;
}

const suite = 'bookworm';
const debian = `debian:${suite}-slim`;
const rootfs = `forge/rootfs:${suite}`;
const keyLabel = 'forge.image.key';
const pullMs = 300_000;
const own = { detail: false };
const mirrorPattern = /^https?:\/\/[\w.:@/~%-]+$/;

interface Work {
  readonly docker: Docker;
  readonly options: BuildImageOptions;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/**
 * Builds one of the images sandboxes run in, with those it stands on. One that was built the same
 * way, on the same image, is used again.
 *
 * @example
 * const { tag } = await buildImage('node', { onProgress: (line) => console.error(line) });
 */
export async function buildImage(
  name: ImageName,
  options: BuildImageOptions = {},
): Promise<BuiltImage> {
  const docker = await loadDocker(options);
  const { onProgress = () => {}, signal = new AbortController().signal } = options;
  try {
    await docker.ping();
  } catch (error) {
    throw new ForgeError(
      'sandbox_failed',
      `Docker does not answer: ${messageOf(error)}. Start it (systemctl start docker, or dockerd).`,
      { cause: error },
    );
  }
  const work = { docker, options, onProgress, signal };
  const from = options.from ?? (name === 'base' ? await debianImage(work) : await baseImage(work));
  return await buildRecipe({ ...work, name, recipe: recipes[name], from });
}

async function baseImage(work: Work): Promise<string> {
  const { tag: _, fresh: __, ...options } = work.options;
  const from = await debianImage(work);
  const { tag } = await buildRecipe({ ...work, options, name: 'base', recipe: recipes.base, from });
  return tag;
}

/** One image by its recipe. Exported for tests, which have quicker recipes. */
export async function buildRecipe({
  docker,
  options,
  onProgress,
  signal,
  name,
  recipe,
  from,
}: Work & { readonly name: string; readonly recipe: Recipe; readonly from: string }) {
  const tag = options.tag ?? `forge/${name}:latest`;
  const ground = (await find(docker, from)) ?? (await pull(from, { docker, onProgress, signal }));
  const { mirror } = options;
  checkWord('mirror', mirror, mirrorPattern);
  const dockerfile = dockerfileOf(recipe, { from, ...(mirror !== undefined && { mirror }) });
  const key = keyOf([String(recipeVersion), dockerfile, ground.id]);
  const there = await find(docker, tag);
  if (there?.key === key && options.fresh !== true) {
    onProgress(`${tag} is there already`, own);
    return { tag, id: there.id, sizeBytes: there.sizeBytes, reused: true };
  }
  onProgress(`Building ${tag} on ${from}`, own);
  const labels = {
    [keyLabel]: key,
    'forge.image': name,
    'forge.image.recipe': String(recipeVersion),
  };
  const context = Readable.from(writeTar([fileEntry('Dockerfile', dockerfile)]));
  const stream = await docker.buildImage(context, {
    t: tag,
    labels,
    rm: true,
    forcerm: true,
    nocache: options.fresh === true,
  });
  for await (const message of dockerMessages(stream, signal)) {
    const line = lineOf(message);
    if (line !== undefined) onProgress(line, { detail: !line.startsWith('Step ') });
  }
  const built = await find(docker, tag);
  if (built === undefined) throw new ForgeError('sandbox_failed', `Docker built no ${tag}.`);
  return { tag, id: built.id, sizeBytes: built.sizeBytes, reused: false };
}

/** Debian as it is here, as it can be pulled, or made of its packages. */
async function debianImage({ docker, options, onProgress, signal }: Work): Promise<string> {
  if ((await find(docker, debian)) !== undefined) return debian;
  const mirror = options.mirror ?? (await machineMirror()) ?? '';
  if (mirror !== '') checkWord('mirror', mirror, mirrorPattern);
  const key = keyOf(['rootfs', String(recipeVersion), suite, mirror]);
  if ((await find(docker, rootfs))?.key === key) return rootfs;
  try {
    await pull(debian, { docker, onProgress, signal });
    return debian;
  } catch (error) {
    if (signal.aborted) throw error;
    if (mirror === '') {
      throw new ForgeError(
        'sandbox_failed',
        `${messageOf(error)} To make one of Debian's packages, name a mirror of them (--mirror http://…/debian).`,
      );
    }
    onProgress(`${messageOf(error)} Making one of Debian's packages.`, own);
  }
  const labels = { [keyLabel]: key, 'forge.image': 'rootfs' };
  await bootstrapRootfs({ docker, suite, mirror, tag: rootfs, labels, onProgress, signal });
  return rootfs;
}

async function pull(image: string, { docker, onProgress, signal }: Omit<Work, 'options'>) {
  onProgress(`Pulling ${image}`, own);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(pullMs)]);
    const stream = await docker.pull(image, { abortSignal: limit });
    for await (const message of dockerMessages(stream, limit)) {
      const line = lineOf(message);
      if (line !== undefined) onProgress(line, { detail: true });
    }
    const pulled = await find(docker, image);
    if (pulled !== undefined) return pulled;
  } catch (error) {
    if (signal.aborted) throw endedBy(signal);
    const message = `The image ${image} is not here, and cannot be pulled: ${messageOf(error)}.`;
    throw new ForgeError('not_found', message, { cause: error });
  }
  throw new ForgeError('not_found', `The image ${image} was pulled, but is not here.`);
}

async function find(docker: Docker, tag: string) {
  try {
    const {
      Id: id,
      Size: sizeBytes,
      Config,
    } = await docker.getImage(checkImageName(tag)).inspect();
    return { id, sizeBytes, key: Config.Labels?.[keyLabel] };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 404;
}

function checkWord(name: string, word: string | undefined, pattern: RegExp): void {
  if (word === undefined || pattern.test(word)) return;
  throw new ForgeError('invalid_options', `${name} is "${word}", which it cannot be.`);
}

function keyOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function fileEntry(name: string, content: string) {
  const body = Buffer.from(content);
  const rest = { link: '', mode: 0o644, mtime: 0 };
  return { name, type: 'file', size: body.length, body: [body], ...rest } as const;
}
