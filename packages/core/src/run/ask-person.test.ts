import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent } from '../agents/define-agent.ts';
import { ForgeError, messageOf } from '../errors.ts';
import type { RunEvent } from '../kernel/events.ts';
import { fold } from '../kernel/evolve.ts';
import { openCall } from '../kernel/open-calls.ts';
import { recover } from '../kernel/recover.ts';
import { textOf } from '../messages/message.ts';
import { calls, ScriptedModel, says } from '../testing/index.ts';
import type { PersonAnswer, PersonQuestion, PersonRequest } from '../tools/ask-person.ts';
import { defineTool, type ToolContext } from '../tools/define-tool.ts';
import { performTool } from './perform-tool.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-types.ts';

type Work = (ask: NonNullable<ToolContext['askPerson']>, context: ToolContext) => unknown;

function asking(work: Work, more: { readonly timeout?: number } = {}) {
  const run = (_: unknown, context: ToolContext) => {
    const { askPerson } = context;
    return askPerson === undefined ? 'nobody to ask' : work(askPerson, context);
  };
  return defineTool({ name: 'ask', description: 'Asks', input: { type: 'object' }, run, ...more });
}

/** What a call of it comes to, with a driver that asks like this. */
async function performed(
  tool: ReturnType<typeof asking>,
  askPerson?: (request: PersonRequest) => Promise<PersonAnswer>,
  signal = new AbortController().signal,
) {
  const context = { runId: 'r', callId: 'c', idempotencyKey: 'k', signal, askPerson };
  const { outcome, content } = await performTool(tool, {}, context);
  return `${outcome}: ${textOf({ content })}`;
}

const accept = (content: string) => async () => ({ action: 'accept' as const, content });
const never = () => new Promise<never>(() => {});
const codeOf = (error: unknown) => (ForgeError.is(error) ? error.code : messageOf(error));

describe('a tool that asks a person', () => {
  it('gets the answer, and knows when there is nobody to ask', async () => {
    const tool = asking(async (ask) => JSON.stringify(await ask({ message: 'Which?' })));
    assert.equal(await performed(tool, accept('blue')), 'ok: {"action":"accept","content":"blue"}');
    assert.equal(await performed(tool), 'ok: nobody to ask');
  });

  it('has its time stand still meanwhile, and all of it after', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = Promise.withResolvers<PersonAnswer>();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const tool = asking(
      async (ask) => {
        await ask({ message: 'Which?' });
        answered.resolve();
        await never();
      },
      { timeout: 1_000 },
    );
    const result = performed(tool, () => {
      asked.resolve();
      return answer.promise;
    });
    await asked.promise;
    test.mock.timers.tick(1_000_000);
    answer.resolve({ action: 'cancel' });
    await answered.promise;
    test.mock.timers.tick(999);
    test.mock.timers.tick(1);
    assert.match(await result, /^error: .*took longer than 1000 ms/);
  });

  it('asks no longer than the call takes, whether it waits for the answer or not', async () => {
    const gone: unknown[] = [];
    const watch = (request: PersonRequest) => {
      request.signal.addEventListener('abort', () => gone.push(codeOf(request.signal.reason)));
      return never();
    };
    const careless = asking((ask) => {
      void ask({ message: 'Anyone?' });
      return 'went on';
    });
    assert.equal(await performed(careless, watch), 'ok: went on');
    assert.deepEqual(gone, ['cancelled']);
    const stop = new AbortController();
    const cancelling = (request: PersonRequest) => {
      const answer = watch(request);
      stop.abort(new ForgeError('cancelled', 'stop'));
      return answer;
    };
    const patient = asking((ask) => ask({ message: 'Anyone?' }));
    assert.equal(await performed(patient, cancelling, stop.signal), 'cancelled: [Cancelled]');
    assert.equal(gone.length, 2);
  });

  it('asks nobody once the call has ended', async () => {
    const kept = Promise.withResolvers<NonNullable<ToolContext['askPerson']>>();
    const tool = asking((ask) => kept.resolve(ask));
    await performed(tool, accept('blue'));
    const ask = await kept.promise;
    await assert.rejects(ask({ message: 'Which?' }), (error) => codeOf(error) === 'cancelled');
  });

  it('may take a question back', async () => {
    const back = new AbortController();
    const tool = asking((ask) =>
      ask({ message: 'Which?', signal: back.signal }).catch((error: unknown) => messageOf(error)),
    );
    const ask = () => {
      back.abort(new Error('never mind'));
      return never();
    };
    assert.equal(await performed(tool, ask), 'ok: never mind');
  });

  it('asks a few at a time, and so many in all', async () => {
    const many = asking(async (ask) => {
      const open = Array.from({ length: 4 }, () => ask({ message: 'Which?' }));
      open.forEach((each) => void each.catch(() => {}));
      return await ask({ message: 'And?' }).catch(codeOf);
    });
    assert.equal(await performed(many, never), 'ok: limit_reached');
    const endless = asking(async (ask) => {
      for (let asked = 0; ; asked += 1) {
        const answer = await ask({ message: 'Again?' }).catch(codeOf);
        if (typeof answer === 'string') return `${asked} ${answer}`;
      }
    });
    assert.equal(await performed(endless, accept('no')), 'ok: 100 limit_reached');
  });

  it('is told what is wrong with its question, or with the answer', async () => {
    const fault = async (question: PersonQuestion, answer: PersonAnswer = { action: 'cancel' }) =>
      await performed(
        asking((ask) => ask(question).then(() => 'fine', codeOf)),
        async () => answer,
      );
    assert.equal(await fault({ message: '' }), 'ok: invalid_options');
    assert.equal(await fault({ message: 'x'.repeat(60_000) }), 'ok: too_large');
    assert.equal(await fault({ message: 'x', schema: { type: 'objekt' } }), 'ok: invalid_schema');
    const number = { message: 'How many?', schema: { type: 'integer' } };
    assert.equal(await fault(number, { action: 'accept', content: 'x' }), 'ok: invalid_options');
    assert.equal(await fault(number, { action: 'accept' }), 'ok: invalid_options');
    assert.equal(await fault(number, { action: 'accept', content: 3 }), 'ok: fine');
    assert.equal(await fault(number, { action: 'decline' }), 'ok: fine');
    const page = { ...number, url: 'https://example.org/' };
    assert.equal(await fault(page, { action: 'accept' }), 'ok: fine');
  });
});

describe('run() with askPerson', () => {
  const twoTurns = () => new ScriptedModel([calls(['ask', {}, 'c']), says('Done.')]);
  const tool = asking(async (ask) => JSON.stringify(await ask({ message: 'Which?' })));
  const agent = defineAgent({ name: 'a', tools: [tool] });

  async function closing(askPerson: RunOptions['askPerson']) {
    const { events } = await run(agent, 'Go.', { model: twoTurns(), askPerson });
    const asked = events.find(({ type }) => type === 'question.asked');
    assert.ok(asked?.type === 'question.asked');
    assert.deepEqual([asked.callId, asked.name, asked.message], ['c', 'ask', 'Which?']);
    const closed = events.find(({ type }) => type === 'question.closed');
    assert.ok(closed?.type === 'question.closed');
    assert.equal(closed.asked, asked.seq);
    const result = events.find(({ type }) => type === 'tool.finished');
    assert.ok(result?.type === 'tool.finished');
    return { closed, said: textOf(result) };
  }

  it('writes down what was asked and how it ended', async () => {
    const accepted = await closing(({ message }) => ({ action: 'accept', content: `${message}!` }));
    assert.deepEqual([accepted.closed.outcome, accepted.closed.answer], ['accepted', 'Which?!']);
    assert.match(accepted.said, /Which\?!/);
    const declined = await closing(() => ({ action: 'decline', reason: 'no time' }));
    assert.deepEqual([declined.closed.outcome, declined.closed.reason], ['declined', 'no time']);
    assert.equal((await closing(async () => ({ action: 'cancel' }))).closed.outcome, 'expired');
    const wrong = await closing(() => ({ action: 'maybe' }) as never);
    assert.equal(wrong.closed.outcome, 'withdrawn');
    assert.match(wrong.said, /askPerson\(\) must return/);
  });

  it('a log that was left in the middle of a question takes it back', async () => {
    const events: RunEvent[] = [];
    const stop = new AbortController();
    await run(agent, 'Go.', {
      model: twoTurns(),
      signal: stop.signal,
      onEvent: (event) => void events.push(event),
      askPerson: () => {
        stop.abort();
        return never();
      },
    });
    const left = events.slice(0, events.findIndex(({ type }) => type === 'question.asked') + 1);
    const state = fold(left);
    const asked = left.length;
    assert.deepEqual(openCall(state, 'c')?.asks, [asked]);
    const [first] = recover(agent, state);
    assert.deepEqual(first, { type: 'question.closed', callId: 'c', asked, outcome: 'withdrawn' });
    const again = await run(agent, undefined, {
      model: new ScriptedModel([says('Done.')]),
      events: left,
    });
    assert.equal(again.status, 'completed');
  });
});
