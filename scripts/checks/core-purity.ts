import { isBuiltin } from 'node:module';
import { importsOf, parseModule } from './read-module.ts';
import { listPackages, listSources } from './source-files.ts';
import type { Violation } from './violation.ts';

const core = '@forge/core';
const mostDependencies = 2;

/** The kernel runs in browsers and on the edge: no built-in module of Node, few dependencies. */
export function checkCorePurity(root: string): Violation[] {
  const own = listPackages(root).find(({ manifest }) => manifest.name === core);
  if (own === undefined) return [];
  const found: Violation[] = [];
  const dependencies = Object.keys(own.manifest.dependencies);
  if (dependencies.length > mostDependencies) {
    found.push({
      file: `${own.folder}/package.json`,
      line: 1,
      problem: `${core} has ${dependencies.length} runtime dependencies: ${dependencies.join(', ')}.`,
      fix: `Keep it to ${mostDependencies}: move the code that needs more to a package above.`,
    });
  }
  for (const { path, text, isTest } of listSources(root, own.folder)) {
    if (isTest) continue;
    for (const { specifier, line } of importsOf(parseModule(path, text))) {
      if (!specifier.startsWith('node:') && !isBuiltin(specifier)) continue;
      found.push({
        file: path,
        line,
        problem: `${core} imports ${specifier}, which only Node has.`,
        fix: 'Take what you need as an argument, or move the code to a package above.',
      });
    }
  }
  return found;
}
