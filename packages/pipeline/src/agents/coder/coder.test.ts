import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calls, says } from '@forge/core/testing';
import { createBubblewrapBackend } from '@forge/sandbox';
import { codeSchema } from '../../contracts.ts';
import { openShop, outputOf, resultsIn, type Shop } from '../agent-fixtures.test.ts';

const write = calls(['write', { path: 'a.txt', content: 'one\ntwo\n' }]);
const check = calls(['run_checks', {}]);
const finish = calls(['finish', { summary: 'Added two.', message: 'Add two' }]);

describe('the coder', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  it('changes files, shows that the checks pass, and leaves a commit', async () => {
    const { agents, work, base } = shop;
    const result = await work(agents.coder, { commit: base, request: 'Add two.' }, [
      write,
      check,
      finish,
    ]);
    const code = codeSchema.parse(outputOf(result));
    assert.deepEqual(code.files, ['a.txt']);
    assert.equal(code.summary, 'Added two.');
    assert.deepEqual(
      code.checks.map(({ command, passed }) => [command, passed]),
      [['sh check.sh', true]],
    );
    assert.equal(shop.git('show', `${code.commit}:a.txt`), 'one\ntwo');
    assert.equal(shop.git('log', '-1', '--format=%s', code.commit), 'Add two');
    assert.equal(shop.git('rev-parse', `${code.commit}^`), base);
    assert.equal(shop.git('status', '--short'), '', "the user's tree is as it was");
  });

  it('is not believed: without a run of the checks there is no end', async () => {
    const { agents, work } = shop;
    const result = await work(agents.coder, 'Add two.', [write, finish, check, finish]);
    outputOf(result);
    const refusal = result.events.find(({ type }) => type === 'reply.refused');
    assert.ok(refusal?.type === 'reply.refused');
    assert.match(JSON.stringify(refusal.nudges), /run_checks/);
  });

  it('has to mend what the checks find', async () => {
    const { agents, work } = shop;
    const wrong = calls(['write', { path: 'a.txt', content: 'three\n' }]);
    const result = await work(agents.coder, 'Add two.', [
      wrong,
      check,
      finish,
      write,
      check,
      finish,
    ]);
    outputOf(result);
    const said = resultsIn(result);
    assert.match(
      said[1] ?? '',
      /run_checks ok: Checks FAILED\.\n\n\$ sh check\.sh\nfailed, exit code 1/,
    );
    assert.match(said[2] ?? '', /finish not_found: .*did not pass: sh check\.sh \(exit code 1\)/);
  });

  it('has to run the checks again if a file changed since', async () => {
    const { agents, work } = shop;
    const late = calls(['write', { path: 'b.txt', content: 'untested\n' }]);
    const result = await work(agents.coder, 'Add two.', [
      write,
      check,
      late,
      finish,
      check,
      finish,
    ]);
    assert.deepEqual(codeSchema.parse(outputOf(result)).files, ['a.txt', 'b.txt']);
    assert.match(
      resultsIn(result)[3] ?? '',
      /finish not_found: .*Files changed since the checks began/,
    );
  });

  it('may do it all in one reply', async () => {
    const { agents, work } = shop;
    const all = calls(
      ['write', { path: 'a.txt', content: 'two\n' }, 'w'],
      ['run_checks', {}, 'c'],
      ['finish', { summary: 's', message: 'm' }, 'f'],
    );
    // Calls of one reply run side by side unless one needs the other, so the write is not awaited.
    const result = await work(agents.coder, 'Add two.', [all, check, finish]);
    assert.deepEqual(codeSchema.parse(outputOf(result)).files, ['a.txt']);
  });

  it('that changed nothing has to say why', async () => {
    const done = await openShop({ checks: ['true'] });
    try {
      const nothing = calls([
        'finish',
        { summary: 's', message: 'm', nothing_to_do: 'Two is there already.' },
      ]);
      const result = await done.work(done.agents.coder, 'Add two.', [check, finish, nothing]);
      assert.match(resultsIn(result)[1] ?? '', /No file is changed/);
      const code = codeSchema.parse(outputOf(result));
      assert.deepEqual([code.commit, code.files], [done.base, []]);
      assert.equal(code.summary, 'Two is there already.');
    } finally {
      await done.close();
    }
  });

  it('cannot say that nothing was to be done and change files', async () => {
    const { agents, work } = shop;
    const lie = calls(['finish', { summary: 's', message: 'm', nothing_to_do: 'x' }]);
    const result = await work(agents.coder, 'Add two.', [write, check, lie, finish]);
    assert.match(resultsIn(result)[2] ?? '', /these files are changed: a\.txt/);
  });

  it('is told what the checks themselves left in the tree', async () => {
    const messy = await openShop({ checks: ['echo x > report.txt'] });
    try {
      const lines = [write, check, finish, check, finish];
      const result = await messy.work(messy.agents.coder, 'Add two.', lines);
      assert.deepEqual(codeSchema.parse(outputOf(result)).files, ['a.txt', 'report.txt']);
      const said = resultsIn(result);
      assert.match(said[1] ?? '', /The checks themselves changed files: report\.txt/);
      assert.match(said[2] ?? '', /finish not_found: .*Files changed since the checks began/);
    } finally {
      await messy.close();
    }
  });

  it('finds the evidence again in the log after a restart', async () => {
    const { agents, work, repo } = shop;
    const first = await work(agents.coder, 'Add two.', [
      write,
      check,
      new Error('the process died'),
    ]);
    assert.equal(first.reason, 'model_failed');
    const events = first.events.slice(
      0,
      first.events.findIndex(({ type }) => type === 'model.failed'),
    );
    const { runId } = first;
    const second = await work(agents.coder, 'Add two.', [finish], { runId, events });
    assert.deepEqual(codeSchema.parse(outputOf(second)).files, ['a.txt']);
    assert.ok(repo);
  });

  it('needs a command where the project names no checks and has none', async () => {
    const bare = await openShop({ files: { 'a.txt': 'one\n' }, checks: [] });
    try {
      const own = calls(['run_checks', { command: 'grep -q two a.txt' }]);
      const result = await bare.work(bare.agents.coder, 'Add two.', [write, check, own, finish]);
      const code = codeSchema.parse(outputOf(result));
      assert.match(resultsIn(result)[1] ?? '', /names no checks and none could be found/);
      assert.deepEqual(
        code.checks.map(({ command }) => command),
        ['grep -q two a.txt'],
      );
    } finally {
      await bare.close();
    }
  });

  it('cannot put a command of its own in the place of the checks', async () => {
    const { agents, work } = shop;
    const own = calls(['run_checks', { command: 'true' }]);
    const wrong = calls(['write', { path: 'a.txt', content: 'three\n' }]);
    const result = await work(agents.coder, 'x', [wrong, own, finish, says('I give up.')]);
    assert.match(resultsIn(result)[1] ?? '', /Checks FAILED/);
    assert.match(resultsIn(result)[2] ?? '', /did not pass: sh check\.sh/);
    assert.equal(result.status, 'failed');
  });

  it('cannot change files by the command it adds once the checks have passed', async () => {
    const { agents, work } = shop;
    const sly = calls(['run_checks', { command: 'echo three > a.txt' }]);
    const result = await work(agents.coder, 'x', [write, sly, finish, says('I give up.')]);
    assert.match(resultsIn(result)[1] ?? '', /All checks passed/);
    assert.match(resultsIn(result)[2] ?? '', /Files changed since the checks began/);
    assert.equal(result.status, 'failed');
  });

  it('cannot take the checks out of the project to be rid of them', async () => {
    const files = { 'a.txt': 'one\n', 'package.json': '{"scripts":{"test":"grep -q two a.txt"}}' };
    const found = await openShop({ files, checks: [] });
    try {
      const rid = calls(['write', { path: 'package.json', content: '{}' }]);
      const own = calls(['run_checks', { command: 'true' }]);
      const lines = [rid, own, finish, says('I give up.')];
      const result = await found.work(found.agents.coder, 'Add two.', lines);
      assert.match(resultsIn(result)[1] ?? '', /Checks FAILED\.\n\n\$ npm test\nfailed/);
      assert.equal(result.status, 'failed');
    } finally {
      await found.close();
    }
  });

  it('as an agent of its own leaves a branch named after the task', async () => {
    const { agents, work } = shop;
    const result = await work(agents.codingAgent, 'Add two!', [write, check, finish]);
    const output = outputOf(result);
    assert.equal(output.branch, 'forge/add-two-');
    assert.equal(shop.git('rev-parse', 'forge/add-two-'), output.commit);
  });
});

describe('a model that does not do its work', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  it('and never calls a tool ends as failed, with the reason', async () => {
    const talk = Array.from({ length: 10 }, () => says('I would change the file.'));
    const result = await shop.work(shop.agents.coder, 'Add two.', talk);
    assert.deepEqual([result.status, result.reason], ['failed', 'retries_exhausted']);
    assert.ok(result.turns < 10);
    assert.match(result.explanation, /\S/);
  });

  it('and goes in circles is stopped', async () => {
    const look = Array.from({ length: 20 }, () => calls(['read', { path: 'a.txt' }]));
    const result = await shop.work(shop.agents.coder, 'Add two.', look);
    assert.deepEqual([result.status, result.reason], ['failed', 'loop']);
  });

  it('and never comes to an end is stopped after its turns', async () => {
    const look = Array.from({ length: 40 }, (_, at) => calls(['search', { pattern: `word${at}` }]));
    const result = await shop.work(shop.agents.coder, 'Add two.', look);
    assert.deepEqual([result.status, result.reason, result.turns], ['failed', 'turn_limit', 25]);
  });
});

describe('the coder in bubblewrap', () => {
  it('does the same', async () => {
    const shop = await openShop({ backend: createBubblewrapBackend() });
    try {
      const result = await shop.work(shop.agents.coder, 'Add two.', [write, check, finish]);
      assert.deepEqual(codeSchema.parse(outputOf(result)).files, ['a.txt']);
    } finally {
      await shop.close();
    }
  });
});
