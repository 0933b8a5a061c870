import { globalUsesOf } from './global-uses.ts';
import { parseModule } from './read-module.ts';
import { listPackages, listSources } from './source-files.ts';
import type { Violation } from './violation.ts';

const printer = /^(?:console|process\.stdout|process\.stderr)(?:\.|$)/;
const mayPrint = /^packages\/(?:cli\/src\/terminal|[^/]+\/src\/logger\/.*)\.[cm]?tsx?$/;

/** One place prints: the terminal of the command line, and the logger where there is one. */
export function checkPrinting(root: string): Violation[] {
  const found = new Map<string, Violation>();
  for (const { folder } of listPackages(root)) {
    for (const { path, text, isTest } of listSources(root, folder)) {
      if (isTest || mayPrint.test(path)) continue;
      for (const use of globalUsesOf(parseModule(path, text))) {
        if (!printer.test(use.path)) continue;
        found.set(`${path}:${use.line}`, {
          file: path,
          line: use.line,
          problem: `prints (${use.path}) outside the terminal and the logger.`,
          fix: 'Take a terminal or a logger as an argument, or return the text.',
        });
      }
    }
  }
  return [...found.values()];
}
