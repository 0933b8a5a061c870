import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool, type JsonObject } from '@forge/core';
import * as z from 'zod';
import { applyPolicy, type Policy } from '../policy/index.ts';
import { aliasesOf, toolAliases } from './aliases.ts';
import { callViews } from './call-views.ts';
import { createTools } from './create-tools.ts';

const tools = createTools({
  sandbox: async () => {
    throw new Error('nothing is run here');
  },
  aliases: true,
});

const judge = (policy: Policy, name: string, args: JsonObject) => {
  const tool = applyPolicy(tools, policy, { aliases: toolAliases, viewsOf: callViews }).find(
    ({ spec }) => spec.name === name,
  );
  assert.ok(tool);
  assert.ok(tool.schema.accepts(args), `${name} takes no ${JSON.stringify(args)}`);
  if (tool.denies?.(args) !== undefined) return 'denied';
  return tool.needsApproval(args) ? 'asks' : 'runs';
};

describe('a rule on an argument', () => {
  it('holds for every name of the tool, also where the argument is called something else', () => {
    for (const [deny, name, args] of [
      ['search(glob=*.pem)', 'search_codebase', { pattern: 'x', file_glob: 'a.pem' }],
      ['search_codebase(file_glob=*.pem)', 'search', { pattern: 'x', glob: 'a.pem' }],
      ['search(max_results>=20)', 'search_codebase', { pattern: 'x' }],
      ['shell(cwd=infra/**)', 'shell_exec', { command: 'ls', working_dir: 'infra/a' }],
      ['shell_exec(working_dir=infra/**)', 'shell', { command: 'ls', cwd: 'infra/a' }],
      ['shell_exec(working_dir=infra/**)', 'run_shell', { command: 'ls', cwd: 'infra/a' }],
      ['shell(timeout_seconds>=60)', 'shell_exec', { command: 'ls', timeout_ms: 90_000 }],
    ] as const) {
      assert.equal(judge({ rules: [{ deny }] }, name, args), 'denied', `${deny} ${name}`);
      assert.equal(judge({ rules: [{ ask: deny }] }, name, args), 'asks', `${deny} ${name}`);
    }
    const other = { command: 'ls', working_dir: 'src' };
    assert.equal(judge({ rules: [{ deny: 'shell(cwd=infra/**)' }] }, 'shell_exec', other), 'runs');
  });

  it('holds for the files of a patch, whatever its form', () => {
    const marked =
      '*** Begin Patch\n*** Update File: src/a\n*** Move to: .github/a\n@@\n-x\n+y\n*** End Patch';
    const unified = '--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-x\n+y\n';
    const policy = {
      rules: [
        { allow: 'apply_patch(path=src/**)' },
        { ask: 'apply_patch(path=src/deep/**)' },
        { deny: 'apply_patch(path=.github/**)' },
      ],
    };
    assert.equal(judge(policy, 'apply_patch', { patch: marked }), 'denied');
    assert.equal(judge(policy, 'apply_patch', { patch: unified }), 'runs');
    const deep = { patch: unified.replaceAll('src/', 'src/deep/') };
    assert.equal(judge(policy, 'apply_patch', deep), 'asks');
  });
});

it('what a tool says against a call it says under its other names', () => {
  const search = defineTool({
    name: 'search',
    description: 'Searches.',
    input: z.object({ pattern: z.string(), glob: z.string().optional() }),
    denies: ({ glob }) => (glob === '*.pem' ? 'no keys' : undefined),
    run: () => '',
  });
  const [renamed] = aliasesOf([search]);
  assert.equal(renamed?.denies?.({ pattern: 'x', file_glob: '*.pem' }), 'no keys');
});
