import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { copyBuilt } from './copy-built.ts';
import { publishableManifest } from './publishable-manifest.ts';

const packedSchema = z.array(z.object({ filename: z.string() })).length(1);

/**
 * Builds those packages and makes tarballs of them in `target`, ready to be published. Returns
 * the paths of the tarballs.
 */
export function packPackages(options: {
  root: string;
  folders: readonly string[];
  target: string;
}): string[] {
  const { root, folders, target } = options;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const build = [tsc, '-b', '--force', ...folders];
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The packages do not build: see above.');
  mkdirSync(target, { recursive: true });
  return folders.map((folder) => packOne({ root, folder: join(root, folder), target }));
}

function packOne(options: { root: string; folder: string; target: string }): string {
  const { root, folder, target } = options;
  const staging = mkdtempSync(join(tmpdir(), 'forge-pack-'));
  try {
    const manifest = publishableManifest(readFileSync(join(folder, 'package.json'), 'utf8'));
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    copyBuilt(folder, join(staging, 'dist'));
    for (const extra of [join(folder, 'README.md'), join(folder, 'bin'), join(root, 'LICENSE')]) {
      if (existsSync(extra))
        cpSync(extra, join(staging, extra.split(/[\\/]/).at(-1) ?? ''), { recursive: true });
    }
    const args = ['pack', '--json', '--pack-destination', target];
    const [packed] = packedSchema.parse(
      JSON.parse(execFileSync('npm', args, { cwd: staging, encoding: 'utf8' })),
    );
    return join(target, packed?.filename ?? '');
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
