import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as z from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

export type Manifest = z.infer<typeof manifestSchema>;

export interface WorkspacePackage {
  /** Its folder, relative to the root: `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly isTest: boolean;
}

export function listPackages(root: string): WorkspacePackage[] {
  const packages: WorkspacePackage[] = [];
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const folder = `packages/${name}`;
    const manifest = join(root, folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const parsed = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
    packages.push({ folder, manifest: parsed });
  }
  return packages;
}

/** The TypeScript sources of a package. Tests and what stands in `test` folders are marked. */
export function listSources(root: string, folder: string): SourceFile[] {
  const found = globSync(`${folder}/src/**/*.{ts,tsx,mts,cts}`, { cwd: root });
  return found.sort().map((native) => {
    const path = native.split(sep).join('/');
    return {
      path,
      text: readFileSync(join(root, native), 'utf8'),
      isTest: /\.test\.[cm]?tsx?$/.test(path) || path.includes('/test/'),
    };
  });
}
