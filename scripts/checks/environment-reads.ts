import { globalUsesOf } from './global-uses.ts';
import { parseModule } from './read-module.ts';
import { listPackages, listSources } from './source-files.ts';
import type { Violation } from './violation.ts';

const environment = /^(?:process\.env|import\.meta\.env|Bun\.env|Deno\.env)(?:\.|$)/;
const configModule = /^packages\/[^/]+\/src\/(?:config\/.*|config)\.[cm]?tsx?$/;

/** One place per package reads the environment: its config module. */
export function checkEnvironmentReads(root: string): Violation[] {
  const found = new Map<string, Violation>();
  for (const { folder } of listPackages(root)) {
    for (const { path, text, isTest } of listSources(root, folder)) {
      if (isTest || configModule.test(path)) continue;
      for (const use of globalUsesOf(parseModule(path, text))) {
        if (!environment.test(use.path)) continue;
        found.set(`${path}:${use.line}`, {
          file: path,
          line: use.line,
          problem: `reads the environment (${use.path}) outside the config module.`,
          fix: `Read it in ${folder}/src/config.ts and take the value as an argument.`,
        });
      }
    }
  }
  return [...found.values()];
}
