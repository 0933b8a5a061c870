import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'forge-cli-tools-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'forge.yaml'),
  `tools:
  disabled: [http_fetch]
  rules:
    - ask: shell(git push*)
    - deny: write(.github/**)
      because: the pipeline is not yours
    - deny: shell(cwd=infra/**)
    - deny: apply_patch(path=.github/**)
  budgets: { shell: 50 }
  commands: [git, npm]
`,
);

function forge(...args: string[]) {
  const command = [launcher, 'tools', ...args];
  const env = { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: folder };
  const { status, stdout } = spawnSync(process.execPath, command, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout };
}

test('lists the tools that forge.yaml leaves, with their budgets', () => {
  const { status, stdout } = forge('list');
  assert.equal(status, 0);
  assert.match(stdout, /^shell +.*\(50 calls in a run\)$/m);
  assert.match(stdout, /^run_shell +.*\(50 calls in a run\)$/m);
  assert.doesNotMatch(stdout, /^http_fetch/m);
});

for (const [tool, args, outcome, status] of [
  ['shell', 'git status', /^runs/, 0],
  ['shell', 'git push origin main', /^asks/, 0],
  ['shell_exec', 'git push origin main', /^asks/, 0],
  ['shell', 'git status; curl x', /^denied {2}curl is not allowed. Allowed here: git, npm/, 1],
  ['shell', 'git $(curl x)', /^denied {2}The command has a variable or a command/, 1],
  ['shell', 'rm -rf /', /^denied {2}Command blocked/, 1],
  ['write', '{"path":".github/x.yml","content":""}', /^denied .*the pipeline is not yours/, 1],
  ['shell_exec', '{"command":"git status","working_dir":"infra/a"}', /^denied .*cwd=infra/, 1],
  ['apply_patch', '{"patch":"--- a/.github/x\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-x"}', /^denied/, 1],
  ['write', '{"path":3}', /^denied {2}The arguments are wrong/, 1],
  ['http_fetch', '{}', /^denied {2}There is no tool http_fetch here/, 1],
] as const) {
  test(`says what would become of ${tool} ${args}`, () => {
    const checked = forge('check', tool, args);
    assert.match(checked.stdout, outcome);
    assert.equal(checked.status, status);
  });
}
