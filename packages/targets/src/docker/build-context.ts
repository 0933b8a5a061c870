import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { deployFailed } from '../deploy-failed.ts';
import type { DockerConfig } from './docker-config.ts';

const largestDockerfile = 1024 * 1024;

/**
 * The folder that is sent to the daemon and the Dockerfile in it, where they really are. A link that
 * leads out of the tree is refused: it would put files of this machine into the image.
 */
export function buildContext(
  path: string,
  { context, dockerfile }: Pick<DockerConfig, 'context' | 'dockerfile'>,
): { readonly folder: string; readonly dockerfile: string } {
  const file = join(context, dockerfile);
  if (!existsSync(join(path, file))) throw deployFailed(`There is no ${file} in the tree.`);
  const root = realpathSync(path);
  const folder = inside(root, join(root, context), context);
  const found = inside(folder, join(folder, dockerfile), file);
  const about = statSync(found);
  if (about.isFile() && about.size <= largestDockerfile) return { folder, dockerfile: found };
  throw deployFailed(`${file} is no file, or has more than ${largestDockerfile} bytes.`);
}

function inside(root: string, path: string, name: string): string {
  const real = realpathSync(path);
  if (real === root || real.startsWith(`${root}${sep}`)) return real;
  throw deployFailed(`${name} is a link that leads out of the tree, to ${real}.`);
}
