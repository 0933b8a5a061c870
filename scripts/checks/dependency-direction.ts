import { posix } from 'node:path';
import { layers } from './layers.ts';
import { importsOf, parseModule } from './read-module.ts';
import { listPackages, listSources, type WorkspacePackage } from './source-files.ts';
import type { Violation } from './violation.ts';

/**
 * Packages import downward only, by name, and a relative path stays inside its package. Tests
 * are held to it as well: a test that reaches up is a test in the wrong package.
 */
export function checkDependencyDirection(root: string): Violation[] {
  const packages = listPackages(root);
  return packages.flatMap((own) => checkPackage(root, own, packages));
}

function checkPackage(
  root: string,
  own: WorkspacePackage,
  packages: readonly WorkspacePackage[],
): Violation[] {
  const { name } = own.manifest;
  const allowed = layers[name];
  if (allowed === undefined) {
    return [
      {
        file: `${own.folder}/package.json`,
        line: 1,
        problem: `${name} has no place in the order of packages.`,
        fix: 'Add it to scripts/checks/layers.ts with the packages below it.',
      },
    ];
  }
  const found: Violation[] = [];
  for (const { path, text } of listSources(root, own.folder)) {
    for (const { specifier, line } of importsOf(parseModule(path, text))) {
      const target = targetOf({ path, specifier, own, packages });
      if (target === undefined) continue;
      found.push({ file: path, line, ...describe(name, allowed, target) });
    }
  }
  return found.filter(({ problem }) => problem !== '');
}

interface Target {
  readonly name: string;
  readonly byPath: boolean;
}

/** What an import outside the own package leads to. Undefined for everything that is not ours. */
function targetOf(options: {
  path: string;
  specifier: string;
  own: WorkspacePackage;
  packages: readonly WorkspacePackage[];
}): Target | undefined {
  const { path, specifier, own, packages } = options;
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const reached = posix.normalize(posix.join(posix.dirname(path), specifier));
    if (reached.startsWith(`${own.folder}/`)) return undefined;
    const other = packages.find(({ folder }) => reached.startsWith(`${folder}/`));
    return { name: other?.manifest.name ?? reached, byPath: true };
  }
  const name = packageNameOf(specifier);
  const isOurs = name in layers || packages.some(({ manifest }) => manifest.name === name);
  return isOurs && name !== own.manifest.name ? { name, byPath: false } : undefined;
}

function describe(
  name: string,
  allowed: readonly string[],
  target: Target,
): { problem: string; fix: string } {
  if (target.byPath) {
    return {
      problem: `${name} reaches out of its package to ${target.name} by a relative path.`,
      fix: 'Import the package by its name, or move the shared code below both.',
    };
  }
  if (allowed.includes(target.name)) return { problem: '', fix: '' };
  const may = allowed.length === 0 ? 'no other package of Forge' : allowed.join(', ');
  return {
    problem: `${name} imports ${target.name}, which is not below it.`,
    fix: `${name} may import ${may}. Move the code down, or pass it in as an argument.`,
  };
}

/** `@scope/name/sub` → `@scope/name`; `name/sub` → `name`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
