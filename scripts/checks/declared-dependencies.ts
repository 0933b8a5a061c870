import { isBuiltin } from 'node:module';
import { packageNameOf } from './dependency-direction.ts';
import { importsOf, parseModule } from './read-module.ts';
import { listPackages, listSources, type WorkspacePackage } from './source-files.ts';
import type { Violation } from './violation.ts';

/**
 * A package imports only what its own package.json declares, because the lucky find of a
 * hoisted neighbour is gone once the package is published. Tests may also use the root's
 * development tools.
 */
export function checkDeclaredDependencies(root: string): Violation[] {
  return listPackages(root).flatMap((own) => checkPackage(root, own));
}

function checkPackage(root: string, { folder, manifest }: WorkspacePackage): Violation[] {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
    ...Object.keys(manifest.optionalDependencies),
  ]);
  const found: Violation[] = [];
  for (const { path, text, isTest } of listSources(root, folder)) {
    if (isTest) continue;
    for (const { specifier, line } of importsOf(parseModule(path, text))) {
      if (/^[./#]/.test(specifier) || isBuiltin(specifier)) continue;
      const name = packageNameOf(specifier);
      if (declared.has(name)) continue;
      found.push({
        file: path,
        line,
        problem: `${manifest.name} imports ${name}, which its package.json does not declare.`,
        fix: `Declare it (npm install ${name} -w ${manifest.name}, or an optional peer), with a line in docs/decisions.`,
      });
    }
  }
  return found;
}
