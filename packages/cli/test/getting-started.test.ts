import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = join(root, 'packages/cli/bin/forge.js');

/** The commands of a page that are marked to be run, in their order. */
function commandsOf(page: string): string {
  const blocks = page.matchAll(/^```sh\n(.*?)^```$/gms);
  return [...blocks].map(([, commands]) => commands).join('\n');
}

test('every command of docs/getting-started.md that needs no model works', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-getting-started-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const commands = commandsOf(readFileSync(join(root, 'docs/getting-started.md'), 'utf8'));
  const { NODE_TEST_CONTEXT: _, FORGE_STORE: __, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-euo', 'pipefail', '-c', `forge() { '${process.execPath}' '${bin}' "$@"; }\n${commands}`],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...inherited,
        PATH: `${dirname(process.execPath)}:${inherited.PATH}`,
        HOME: folder,
        XDG_STATE_HOME: join(folder, 'state'),
        XDG_CONFIG_HOME: join(folder, 'config'),
        GIT_AUTHOR_NAME: 'Reader',
        GIT_AUTHOR_EMAIL: 'reader@example.org',
        GIT_COMMITTER_NAME: 'Reader',
        GIT_COMMITTER_EMAIL: 'reader@example.org',
      },
    },
  );
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\+export const greet = \(name = 'you'\)/m, 'the diff of the branch');
});
