import { readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isJsonObject, messageOf } from '@forge/core';
import * as z from 'zod';
import type { PluginProblem } from './plugin.ts';

/** A package that says it is a plugin. Nothing of it has been run. */
export interface FoundPlugin {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** The module to load. */
  readonly file: string;
}

const manifestSchema = z.object({
  name: z.string().min(1),
  version: z.string().default('0.0.0'),
  forge: z.strictObject({ plugin: z.string().min(1) }).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});

/**
 * The plugins of a project: the packages its package.json names that have a `forge` field, and the
 * folders and packages it is told of. What only a dependency of a dependency brings is not one.
 */
export async function findPlugins({
  root,
  also = [],
}: {
  readonly root: string;
  /** Names of packages, and folders relative to the root. */
  readonly also?: readonly string[];
}): Promise<{
  readonly found: readonly FoundPlugin[];
  readonly problems: readonly PluginProblem[];
}> {
  const project = await readManifest(join(root, 'package.json')).catch(() => undefined);
  const named = Object.keys({
    ...project?.dependencies,
    ...project?.devDependencies,
    ...project?.optionalDependencies,
  });
  const found = new Map<string, FoundPlugin>();
  const problems: PluginProblem[] = [];
  const wanted = [
    ...named.map((name) => ({ name, isTold: false })),
    ...also.map((name) => ({ name, isTold: true })),
  ];
  for (const { name, isTold } of wanted) {
    const folder = await folderOf(root, name);
    if (folder === undefined) {
      const problem = `There is no such package or folder. Install it, or take it out of plugins.`;
      if (isTold) problems.push({ name, folder: resolve(root, name), problem });
      continue;
    }
    try {
      const manifest = await readManifest(join(folder, 'package.json'));
      if (manifest.forge !== undefined) {
        const file = join(folder, manifest.forge.plugin);
        found.set(folder, { name: manifest.name, version: manifest.version, folder, file });
      } else if (isTold) {
        const problem =
          'Its package.json has no "forge" field. A plugin has one, such as "forge": { "plugin": "./src/index.ts" }.';
        problems.push({ name, folder, problem });
      }
    } catch (error) {
      // A dependency that is no plugin may be as odd as it likes.
      if (isTold || (await mentionsForge(folder)))
        problems.push({ name, folder, problem: messageOf(error) });
    }
  }
  return { found: [...found.values()], problems };
}

/** As Node looks for packages: in node_modules here and above. */
async function folderOf(root: string, name: string): Promise<string | undefined> {
  const isPath = name.startsWith('.') || isAbsolute(name);
  const places: string[] = isPath ? [resolve(root, name)] : [];
  for (let folder = root; !isPath; folder = dirname(folder)) {
    places.push(join(folder, 'node_modules', name));
    if (dirname(folder) === folder) break;
  }
  for (const place of places) {
    const real = await realpath(place).catch(() => undefined);
    if (real !== undefined) return real;
  }
  return undefined;
}

async function readManifest(file: string): Promise<z.infer<typeof manifestSchema>> {
  const value: unknown = JSON.parse(await readFile(file, 'utf8'));
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${file} is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`);
}

async function mentionsForge(folder: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return isJsonObject(value) && 'forge' in value;
  } catch {
    return false;
  }
}
