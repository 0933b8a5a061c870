import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool, ForgeError } from '@forge/core';
import * as z from 'zod';
import { applyPolicy } from './apply-policy.ts';
import type { Policy } from './policy-schema.ts';

const tool = (name: string, argument = 'command', approval = false) =>
  defineTool({
    name,
    description: name,
    input: z.object({ [argument]: z.string() }),
    approval,
    run: () => 'ran',
  });
const tools = [
  tool('ask_first', 'command', true),
  tool('shell'),
  tool('run_shell'),
  tool('read', 'path'),
  tool('pay', 'to', true),
];
const apply = (policy: Policy, name = 'shell') => {
  const found = applyPolicy(tools, policy, { aliases: { shell: ['run_shell'] } }).find(
    ({ spec }) => spec.name === name,
  );
  assert.ok(found);
  return found;
};

describe('a policy', () => {
  it('leaves the tools it enables, less those it disables', () => {
    const left = (policy: Policy) => applyPolicy(tools, policy).map(({ spec }) => spec.name);
    assert.deepEqual(left({}), ['ask_first', 'shell', 'run_shell', 'read', 'pay']);
    assert.deepEqual(left({ enabled: ['*shell', 'read'] }), ['shell', 'run_shell', 'read']);
    assert.deepEqual(left({ disabled: ['*shell'] }), ['ask_first', 'read', 'pay']);
    assert.deepEqual(left({ enabled: ['shell'], disabled: ['shell'] }), []);
  });

  it('lets a deny win over an ask, and an ask over an allow', () => {
    const shell = apply({
      rules: [
        { allow: 'shell(git *)' },
        { ask: 'shell(git push*)' },
        { deny: 'shell(git push --force*)', because: 'history is shared' },
      ],
    });
    assert.equal(shell.needsApproval({ command: 'git log' }), false);
    assert.equal(shell.needsApproval({ command: 'git push' }), true);
    assert.equal(
      shell.denies?.({ command: 'git push --force origin' }),
      'The rule shell(git push --force*) forbids this call of shell: history is shared. Do not send it again.',
    );
    assert.equal(shell.denies?.({ command: 'git push' }), undefined);
  });

  it('leaves a tool its own word where no rule is about the call', () => {
    assert.equal(apply({}, 'pay').needsApproval({ to: 'x' }), true);
    assert.equal(
      apply({ rules: [{ allow: 'pay(to=friend)' }] }, 'pay').needsApproval({ to: 'friend' }),
      false,
    );
    assert.equal(
      apply({ rules: [{ allow: 'pay(to=friend)' }] }, 'pay').needsApproval({ to: 'foe' }),
      true,
    );
  });

  it('does not let a star stand for what runs another program', () => {
    const asksFor = (command: string) =>
      apply(
        { rules: [{ allow: 'pay(to=*)' }, { allow: 'ask_first(git *)' }] },
        'ask_first',
      ).needsApproval({ command });
    assert.equal(asksFor('git log'), false);
    assert.equal(asksFor("git -c alias.x='!sh' x"), true);
    assert.equal(asksFor('git log; sh'), true);
  });

  it('refuses commands that are not listed, with the list', () => {
    const { denies } = apply({ commands: ['git', 'npm'] });
    assert.equal(denies?.({ command: 'git status' }), undefined);
    assert.match(
      denies?.({ command: 'curl x' }) ?? '',
      /curl is not allowed. Allowed here: git, npm/,
    );
  });

  it('refuses what nobody means well with, without a list', () => {
    assert.match(
      apply({}).denies?.({ command: 'rm -rf /*' }) ?? '',
      /Command blocked: rm on everything/,
    );
  });

  it('gives the names of one tool one budget', () => {
    assert.deepEqual(apply({ budgets: { shell: 50 } }, 'run_shell').budget, {
      calls: 50,
      tools: ['shell', 'run_shell'],
    });
    assert.equal(apply({ budgets: { shell: 50 } }, 'read').budget, undefined);
  });

  it('keeps a tool to the smaller of two budgets, whatever their order', () => {
    for (const budgets of [
      { shell: 5, '*': 100 },
      { '*': 100, shell: 5 },
    ]) {
      assert.equal(apply({ budgets }).budget?.calls, 5);
      assert.equal(apply({ budgets }, 'read').budget?.calls, 100);
    }
  });

  it('takes no arguments where it is about whole tools', () => {
    const wrong = [
      { enabled: ['shell(git *)'] },
      { disabled: ['shell(rm *)'] },
      { budgets: { 'shell(git push*)': 1 } },
    ];
    for (const policy of wrong)
      assert.throws(
        () => applyPolicy(tools, policy),
        (error) => ForgeError.is(error, 'invalid_options') && /whole tools/.test(error.message),
      );
  });

  it('says of every name of a tool what it says of one', () => {
    const policy = { rules: [{ deny: 'shell(git push*)' }] };
    assert.match(apply(policy, 'run_shell').denies?.({ command: 'git push' }) ?? '', /forbids/);
    const left = applyPolicy(tools, { disabled: ['shell'] }, { aliases: { shell: ['run_shell'] } });
    assert.deepEqual(
      left.map(({ spec }) => spec.name),
      ['ask_first', 'read', 'pay'],
    );
  });

  it('reads a command in whatever way it is given', () => {
    const { denies } = apply({ rules: [{ deny: 'shell(git push*)' }], commands: ['git'] });
    assert.match(denies?.({ argv: ['git', 'push', 'x y'] }) ?? '', /forbids/);
    assert.match(denies?.({ argv: ['curl'] }) ?? '', /curl is not allowed/);
    assert.match(denies?.({ argv: ['rm', '-rf', '/'] }) ?? '', /blocked/);
    assert.match(denies?.({ command: 'git log', argv: ['curl'] }) ?? '', /curl is not allowed/);
    assert.match(denies?.({ script: 'curl x' }) ?? '', /curl is not allowed/);
  });

  it('says where it is wrong', () => {
    assert.throws(
      () => applyPolicy(tools, { rules: [{ deny: 'shell(' }] }),
      (error) => ForgeError.is(error, 'invalid_options') && /rules\.0/.test(error.message),
    );
  });
});
