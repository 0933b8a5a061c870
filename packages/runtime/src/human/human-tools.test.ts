import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, ForgeError, type JsonValue } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { ground } from '../approvals/ground.test.ts';
import { askHuman } from './ask-human.ts';
import { doneForNow } from './done-for-now.ts';
import type { Question } from './question.ts';
import { readAnswer } from './read-answer.ts';
import { requestApproval } from './request-approval.ts';

const stamp = /\((answered|decided) by ann at \d{4}-\d\d-\d\dT[\d:.]+Z\)$/;

/** A run that asks with one call and then says it is done. */
async function asking(
  tool: ReturnType<typeof askHuman>,
  args: Record<string, JsonValue>,
  more: { readonly approvalTtl?: number; readonly leaseTtl?: number } = {},
) {
  const all = await ground([defineAgent({ name: 'a', tools: [tool] })]);
  all.work(new ScriptedModel([calls([tool.spec.name, args as never, 'q']), says('Done.')]), more);
  const { id } = await all.runtime.launch('a', 'Go.');
  await all.event(id, 'tool.started');
  const [row] = (await all.store.approvals({ runId: id })).items;
  assert.ok(row);
  return { ...all, id, row };
}

function refusal(question: Question, answer: unknown): string {
  try {
    readAnswer(question, answer);
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_options'));
    return error.message;
  }
  return assert.fail('it was taken');
}

describe('ask_human', () => {
  it('waits for an answer, and tells who gave it and when', async () => {
    const { runtime, approvals, row, id, results } = await asking(askHuman(), {
      question: 'Which colour?',
      context: 'For the door.',
      urgency: 'low',
    });
    assert.equal((await runtime.settled(id)).status, 'waiting_for_answer');
    await approvals.answer(row.id, 'Blue.', { by: 'ann' });
    await runtime.ended(id);
    const [said = ''] = await results(id);
    assert.match(said, /^ok: Blue\.\n/);
    assert.match(said, stamp);
  });

  it('checks an answer before it is taken: of a choice, and of a schema', async () => {
    const answer = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const { approvals, row, runtime, id, results } = await asking(askHuman({ answer }), {
      question: 'How many?',
    });
    await assert.rejects(
      approvals.answer(row.id, { n: 'many' }, { by: 'ann' }),
      (error) => ForgeError.is(error, 'invalid_options') && /At n the answer/.test(error.message),
    );
    await approvals.answer(row.id, { n: 3 }, { by: 'ann' });
    await runtime.ended(id);
    assert.match((await results(id)).join(), /^ok: {"n":3}\n/);
  });

  it('of which a person wants nothing ends with their reason', async () => {
    const { approvals, row, runtime, id, results } = await asking(askHuman(), { question: 'Why?' });
    await approvals.deny(row.id, { by: 'ann', reason: 'ask bob' });
    await runtime.ended(id);
    assert.match((await results(id)).join(), /^denied: \[Denied\] ann said no: ask bob\n/);
  });

  it('that nobody answers in time expires', async () => {
    const { runtime, id, results } = await asking(
      askHuman(),
      { question: 'Why?' },
      { approvalTtl: 1 },
    );
    await runtime.ended(id);
    assert.match((await results(id)).join(), /^expired: \[Expired\] Nobody answered in time/);
  });

  it('does not take a choice without choices, or the same twice', () => {
    const { schema, refine } = askHuman();
    const ask = (more: object) => ({ question: 'Which?', ...more }) as never;
    assert.ok(schema.accepts(ask({ format: 'choice', choices: ['a', 'b'] })));
    assert.match(refine(ask({ format: 'choice' }))[0]?.message ?? '', /give choices/);
    assert.match(refine(ask({ choices: ['a', 'b'] }))[0]?.message ?? '', /give choices/);
    const twice = refine(ask({ format: 'choice', choices: ['a', 'A '] }));
    assert.match(twice[0]?.message ?? '', /another one/);
  });

  it('refuses a schema that is none when the tool is made', () => {
    assert.throws(
      () => askHuman({ answer: { type: 'objekt' } }),
      (error) => ForgeError.is(error, 'invalid_schema'),
    );
  });
});

describe('an answer', () => {
  const question = 'What?';

  it('is read as the question wants it', () => {
    assert.equal(readAnswer({ kind: 'free_text', question }, ' as it is '), ' as it is ');
    for (const yes of [true, 'yes', ' Y ', 'TRUE'])
      assert.equal(readAnswer({ kind: 'yes_no', question }, yes), true);
    for (const no of [false, 'No', 'n'])
      assert.equal(readAnswer({ kind: 'yes_no', question }, no), false);
    const choices = ['Red', 'Blue'];
    assert.equal(readAnswer({ kind: 'choice', question, choices }, 'red '), 'Red');
    assert.equal(readAnswer({ kind: 'value', question, schema: { type: 'null' } }, null), null);
  });

  it('is refused with what is wanted', () => {
    assert.match(refusal({ kind: 'free_text', question }, '  '), /text that says something/);
    assert.match(refusal({ kind: 'free_text', question }, 5), /must be a text/);
    assert.match(refusal({ kind: 'yes_no', question }, 'maybe'), /yes or no/);
    assert.match(refusal({ kind: 'choice', question, choices: ['a', 'b'] }, 'c'), /one of: a, b/);
    assert.match(refusal({ kind: 'value', question, schema: false }, 1), /The answer/);
    assert.match(refusal({ kind: 'request', question }, 'yes'), /approve or deny/);
    assert.match(
      refusal({ kind: 'free_text', question }, () => {}),
      /JSON/,
    );
    assert.match(refusal({ kind: 'free_text', question }, 'x'.repeat(100_001)), /shorter/);
  });
});

describe('request_approval', () => {
  it('is a yes or no, with who said it', async () => {
    const { approvals, row, runtime, id, results } = await asking(requestApproval(), {
      question: 'May I delete the branch?',
    });
    const { actions, question } = await approvals.get(row.id);
    assert.deepEqual(actions, ['approve', 'deny']);
    assert.deepEqual(question, { kind: 'request', question: 'May I delete the branch?' });
    await approvals.approve(row.id, { by: 'ann' });
    await runtime.ended(id);
    const [said = ''] = await results(id);
    assert.match(said, /^ok: Approved\./);
    assert.match(said, stamp);
  });
});

describe('done_for_now', () => {
  it('ends the turn without another, until something comes', async () => {
    const { work, runtime, event } = await ground([
      defineAgent({ name: 'a', tools: [doneForNow()], standing: true }),
    ]);
    const model = new ScriptedModel([calls(['done_for_now', {}, 'd']), says('Here again.')]);
    const worker = work(model);
    const { id } = await runtime.launch('a', 'Wait for me.');
    assert.equal((await runtime.settled(id)).status, 'waiting_for_input');
    await worker.idle();
    assert.equal(model.requests.length, 1);
    await runtime.send(id, 'Now.');
    await event(id, 'reply.answered');
    assert.equal(model.requests.length, 2);
  });
});
