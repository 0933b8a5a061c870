import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, ForgeError } from '@forge/core';
import type { ApprovalRule } from '@forge/store';
import fc from 'fast-check';
import { createRuleBook } from './create-rule-book.ts';
import { ground, payTool, search } from './ground.test.ts';
import { RuleIndex } from './rule-index.ts';
import { createRules } from './rules-api.ts';

const call = (query: string, more: object = {}) => ({
  runId: 'r',
  rootId: 'top',
  agent: 'a',
  tool: 'search',
  args: { query },
  main: 'query',
  ...more,
});

/** A store of rules alone, which counts how often it is read. */
function ruleStore() {
  const rules: ApprovalRule[] = [];
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    rules: async () => {
      reads += 1;
      return [...rules];
    },
    addRule: async (rule: ApprovalRule) => {
      rules.push(rule);
    },
    revokeRule: async (id: string) => {
      const at = rules.findIndex((rule) => rule.id === id);
      if (at >= 0) rules.splice(at, 1);
      return at >= 0;
    },
  };
}

const rule = (more: Partial<ApprovalRule>): ApprovalRule => ({
  id: 'x',
  effect: 'allow',
  pattern: 'search',
  scope: 'always',
  createdBy: 'ann',
  createdAt: 0,
  ...more,
});

describe('the rule book', () => {
  it('knows what this process changes at once', async () => {
    const store = ruleStore();
    const book = createRuleBook(store, { now: () => 0 });
    const api = createRules({ store });
    assert.equal(await book.judge(call('x')), undefined);
    const { id } = await api.add({
      effect: 'allow',
      pattern: 'search',
      scope: 'always',
      by: 'ann',
    });
    assert.equal((await book.judge(call('x')))?.ruleId, id);
    assert.equal(await api.revoke(id), true);
    assert.equal(await book.judge(call('x')), undefined);
    assert.equal(await api.revoke(id), false);
  });

  it('knows what others change a second later, and reads once for many questions', async () => {
    const store = ruleStore();
    let time = 0;
    const book = createRuleBook(store, { now: () => time });
    await Promise.all(Array.from({ length: 50 }, () => book.judge(call('x'))));
    assert.equal(store.reads, 1);
    await store.addRule(rule({ effect: 'deny' }));
    assert.equal(await book.judge(call('x')), undefined);
    time = 1_000;
    assert.equal((await book.judge(call('x')))?.effect, 'deny');
    assert.equal(store.reads, 2);
    time = 0; // A clock that was set back.
    await book.judge(call('x'));
    assert.equal(store.reads, 3);
  });

  it('asks again after it could not read', async () => {
    let fails = true;
    const store = {
      rules: async () => {
        if (fails) throw new ForgeError('store_failed', 'no');
        return [rule({})];
      },
    };
    const book = createRuleBook(store, { now: () => 0 });
    await assert.rejects(book.judge(call('x')));
    fails = false;
    assert.equal((await book.judge(call('x')))?.effect, 'allow');
  });
});

describe('rules together', () => {
  it('hold in their scope: the run or the one at its top, the agent, or always', () => {
    const in_ = (scope: ApprovalRule['scope']) => new RuleIndex([rule({ scope })]).judge(call('x'));
    assert.ok(in_('always') && in_({ agent: 'a' }) && in_({ runId: 'r' }) && in_({ runId: 'top' }));
    assert.equal(in_({ agent: 'b' }), undefined);
    assert.equal(in_({ runId: 'other' }), undefined);
  });

  it('name the narrowest of those that allow', () => {
    const index = new RuleIndex([
      rule({ id: 'wide', pattern: 's*' }),
      rule({ id: 'agent', scope: { agent: 'a' } }),
      rule({ id: 'run', scope: { runId: 'r' } }),
    ]);
    assert.equal(index.judge(call('x'))?.ruleId, 'run');
  });

  it('never allow what one of them denies, in whatever order and scope', () => {
    const scopes = fc.constantFrom<ApprovalRule['scope']>(
      'always',
      { agent: 'a' },
      { runId: 'r' },
      { runId: 'top' },
    );
    const patterns = fc.constantFrom('search', 'search(x*)', 's*', '*', 'search(query=x)');
    const allows = fc.array(fc.record({ scope: scopes, pattern: patterns }), { maxLength: 5 });
    fc.assert(
      fc.property(allows, scopes, patterns, fc.nat(5), (given, scope, pattern, place) => {
        const list = given.map((each) => rule(each));
        list.splice(place, 0, rule({ id: 'no', effect: 'deny', scope, pattern }));
        assert.deepEqual(new RuleIndex(list).judge(call('x')), {
          effect: 'deny',
          ruleId: 'no',
          pattern,
        });
      }),
    );
  });

  it('allow nothing while one that denies cannot be read, and a person is asked', () => {
    const broken = rule({ effect: 'deny', pattern: 'search(' });
    assert.equal(new RuleIndex([rule({}), broken]).judge(call('x')), undefined);
    const elsewhere = { ...broken, scope: { agent: 'b' } };
    assert.equal(new RuleIndex([rule({}), elsewhere]).judge(call('x'))?.effect, 'allow');
  });
});

describe('the list of rules', () => {
  it('takes no rule that could never be about a call', async () => {
    const { rules } = await ground([defineAgent({ name: 'a', tools: [search, payTool().pay] })]);
    const add = (pattern: string) =>
      rules.add({ effect: 'deny', pattern, scope: 'always', by: 'ann' });
    const invalid = (words: RegExp) => (error: unknown) =>
      ForgeError.is(error, 'invalid_options') && words.test(error.message);
    await assert.rejects(add('search(path=x)'), invalid(/argument path.*arguments query/s));
    await assert.rejects(add('pay(5)'), invalid(/no text that is required.*amount/s));
    await assert.rejects(add('search('), invalid(/closing/));
    await add('unknown_tool(path=x)');
    await add('search(query=x)');
    await assert.rejects(
      rules.add({ effect: 'deny', pattern: 'search', scope: 'always', by: '' }),
      invalid(/who made it/),
    );
  });

  it('shows those in force, and what is wrong with one', async () => {
    const { rules, store } = await ground([]);
    const by = 'ann';
    await rules.add({ id: '1', effect: 'allow', pattern: 'a', scope: 'always', by });
    await rules.add({ id: '2', effect: 'allow', pattern: 'b', scope: { runId: 'r' }, by });
    await rules.add({ id: '3', effect: 'deny', pattern: 'c', scope: { agent: 'x' }, by });
    await store.addRule(rule({ id: '4', pattern: 'd(' }));
    const ids = async (of?: Parameters<typeof rules.list>[0]) =>
      (await rules.list(of)).map(({ id }) => id).sort();
    assert.deepEqual(await ids(), ['1', '2', '3', '4']);
    assert.deepEqual(await ids({ runId: 'r' }), ['1', '2', '4']);
    assert.deepEqual(await ids({ agent: 'x' }), ['1', '3', '4']);
    assert.match((await rules.list()).find(({ id }) => id === '4')?.problem ?? '', /closing/);
    await rules.revoke('1');
    assert.deepEqual(await ids({ agent: 'x' }), ['3', '4']);
  });
});
