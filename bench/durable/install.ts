import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/test-model/cache-folder.ts';
import { runNpm } from '../../scripts/test-model/run-npm.ts';

/** Installs packages in a folder of the user's cache, once. Gives the folder. */
export async function installed(options: {
  readonly name: string;
  readonly packages: readonly string[];
  /** One more thing to do before it counts as installed. */
  readonly finish?: (folder: string) => Promise<void>;
}): Promise<string> {
  const folder = join(cacheFolder(), 'bench', options.name);
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await runNpm(['install', ...options.packages], { folder });
  await options.finish?.(folder);
  writeFileSync(done, '');
  return folder;
}

/** The address of a module that was installed there. */
export function moduleIn(folder: string, name: string): string {
  return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href;
}

/**
 * Compiles a native package that was installed there for this very Node. The headers come from npm,
 * since not every machine can fetch them from elsewhere.
 */
export async function compileIn(folder: string, name: string): Promise<void> {
  const { platform, arch, versions, execPath } = process;
  const [major] = versions.node.split('.');
  const node = `node-${platform}-${arch}`;
  const headers = await installed({ name: `${node}-${major}`, packages: [`${node}@${major}`] });
  await promisify(execFile)('npm', ['rebuild', name], {
    cwd: folder,
    timeout: 15 * 60_000,
    env: {
      ...process.env,
      PATH: [dirname(execPath), process.env.PATH].join(delimiter),
      npm_config_nodedir: join(headers, 'node_modules', node),
    },
  });
}
