import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import type { Target, TargetContext } from '@forge/targets';
import * as z from 'zod';

const config = z.strictObject({
  /** The folder a web server shows: it becomes a link to the live release. */
  publish_to: z.string().min(1),
  /** What has to be in every release. */
  index: z.string().min(1).default('index.html'),
});
type FolderConfig = z.infer<typeof config>;

/**
 * Publishes a static site: each release is a copy, and the published folder is a link that is
 * switched from one to the other in one step. Whoever reads files sees the old site or the new one.
 */
export const folderTarget: Target<FolderConfig> = {
  name: 'folder',
  config,

  async validate({ config: { index } }, { path }) {
    const files = await readdir(path).catch((): string[] => []);
    if (files.includes(index)) return [];
    return [{ problem: `There is no ${index} in the tree.`, fix: 'Add it, or set index.' }];
  },

  /** The copy is complete when it has its name: a process that dies leaves only a draft. */
  async build({ folder }, { path }, { id }) {
    const release = join(folder, 'releases', id);
    const draft = `${release}.draft`;
    await rm(draft, { recursive: true, force: true });
    await cp(path, draft, { recursive: true, filter: (from) => !from.endsWith('/.git') });
    await rm(release, { recursive: true, force: true });
    await rename(draft, release);
    return { digest: await digestOf(release), detail: { id } };
  },

  async deploy(context, { digest, detail }, { id }) {
    await show(context, id);
    return { digest, url: undefined, detail };
  },

  async healthCheck({ config: { publish_to, index } }) {
    const file = join(publish_to, index);
    const bytes = await readFile(file).catch(() => undefined);
    const healthy = bytes !== undefined && bytes.length > 0;
    return { healthy, report: healthy ? `${file} has ${bytes.length} bytes.` : `No ${file}.` };
  },

  async rollback(context, { id, built }) {
    const digest = await digestOf(join(context.folder, 'releases', id)).catch(() => undefined);
    if (digest !== built.digest) {
      throw new ForgeError('deploy_failed', `The release ${id} is not here as it was.`);
    }
    await show(context, id);
    return { digest, url: undefined, detail: built.detail };
  },

  async stop({ config: { publish_to } }) {
    await rm(publish_to, { force: true });
  },
};

/** A new link takes the place of the old one: `rename` is one step. */
async function show({ folder, config }: TargetContext<FolderConfig>, id: string): Promise<void> {
  const release = resolve(folder, 'releases', id);
  if ((await readlink(config.publish_to).catch(() => '')) === release) return;
  const next = join(folder, 'next');
  await mkdir(folder, { recursive: true });
  await rm(next, { force: true });
  await symlink(release, next);
  await rename(next, config.publish_to);
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const name of names) {
    hash.update(name.slice(folder.length)).update(await readFile(name));
  }
  return `sha256:${hash.digest('hex')}`;
}
