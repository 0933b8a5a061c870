import {
  defineTool,
  ForgeError,
  type Tool,
  ToolOutput,
  ToolResolutionError,
  text,
} from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import type { Results } from '@forge/tools';
import * as z from 'zod';
import type { WorkspacePort } from '../ports.ts';
import { commitFiles } from '../prompt/project-files.ts';
import { shownNames } from '../shown-names.ts';
import { type CheckRecord, runChecks } from './check-record.ts';
import { detectChecks, type ReadProjectFile } from './detect-checks.ts';
import { runCheck } from './run-check.ts';

export interface RunChecksOptions {
  readonly workspace: WorkspacePort;
  readonly results: Results;
  /** The project's own commands. None: what its files say. */
  readonly commands?: readonly string[];
  /** For one command. Default ten minutes; the sandbox may allow less. */
  readonly timeoutMs?: number;
}

const tenMinutes = 600_000;

/**
 * Runs the project's checks and notes, with the hash of the tree they ran on, what came of them.
 * That note is what counts as evidence: whoever says "done" is asked for it.
 */
export function runChecksTool(options: RunChecksOptions): Tool {
  const { workspace, results, timeoutMs = tenMinutes } = options;
  return defineTool({
    name: runChecks,
    description:
      'Runs the checks of the project (its tests) and says which passed. Failing checks are shown with their output.',
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(10_000)
        .optional()
        .describe('One more command to run. Needed where the project has no checks of its own.'),
    }),
    // Checks only look, as far as we are concerned: what they change themselves was not checked.
    idempotent: true,
    run: async ({ command }, { runId, signal }) => {
      const sandbox = await workspace.sandboxOf({ runId, signal });
      const before = await workspace.keep(runId, 'Before the checks');
      const { path: repo, base } = await workspace.repoOf(runId);
      const start = commitFiles({ repo, commit: base });
      const commands = await commandsFor({
        configured: options.commands ?? [],
        extra: command,
        readers: [async (path) => (await start.read(path))?.text, fileReader(sandbox)],
      });
      const limit = Math.min(timeoutMs, sandbox.limits.timeMs);
      const ran = [];
      for (const each of commands) {
        ran.push(await runCheck({ sandbox, command: each, timeoutMs: limit, results }, signal));
      }
      const after = await workspace.keep(runId, 'After the checks');
      const left = before.tree === after.tree ? [] : [leftBehind(before.files, after.files)];
      const checks = ran.map(({ check }) => check);
      const passed = checks.every((check) => check.passed);
      const untouched = before.files.length === 0;
      const record: CheckRecord = { tree: before.tree, untouched, passed, checks };
      const shown = ran.map((each) => each.shown);
      const said = passed ? 'All checks passed.' : 'Checks FAILED.';
      return new ToolOutput([
        text([said, ...shown, ...left].join('\n\n')),
        text(JSON.stringify(record)),
      ]);
    },
  });
}

async function commandsFor({
  configured,
  extra,
  readers,
}: {
  readonly configured: readonly string[];
  readonly extra: string | undefined;
  /** Of the project as the run found it, and as it is now: who takes its checks out has them still. */
  readonly readers: readonly ReadProjectFile[];
}): Promise<readonly string[]> {
  const own =
    configured.length > 0 ? configured : (await Promise.all(readers.map(detectChecks))).flat();
  // A command of the model's own comes on top: it cannot replace what the project asks for.
  const commands = extra === undefined ? own : [...own, extra];
  if (commands.length > 0) return [...new Set(commands)];
  throw new ToolResolutionError(
    'This project names no checks and none could be found (no test script in package.json, no pytest, Cargo.toml, go.mod or test target of make). Call run_checks with a command that shows that the work is right, such as {"command": "node --test"}.',
  );
}

const mostManifest = 256 * 1024;

function fileReader(sandbox: Sandbox) {
  return async (path: string) => {
    try {
      const { bytes } = await sandbox.readFile(path, { limit: mostManifest });
      return new TextDecoder().decode(bytes);
    } catch (error) {
      if (ForgeError.is(error, 'not_found') || ForgeError.is(error, 'not_a_file')) return undefined;
      throw error;
    }
  };
}

function leftBehind(before: readonly string[], after: readonly string[]): string {
  const known = new Set(before);
  const added = after.filter((file) => !known.has(file));
  const named = added.length > 0 ? shownNames(added, 20) : 'files that were changed before';
  return `[The checks themselves changed files: ${named}. Remove them, ignore them in .gitignore, or run the checks again with them.]`;
}
