import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agents/define-agent.ts';
import type { CompactionStrategy } from '../context/compaction.ts';
import { ForgeError } from '../errors.ts';
import { parseEvent, type RunEvent } from '../kernel/events.ts';
import { textOf } from '../messages/message.ts';
import type { Model } from '../models.ts';
import { calls, ScriptedModel, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-types.ts';

const anything = { type: 'object' };
const toolTexts = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [textOf(event)] : []));

/** One call to a tool with these options, then an answer. */
async function callOnce(
  tool: Partial<Parameters<typeof defineTool>[0]> | { input: z.ZodType; run?: () => unknown },
  { agent, ...options }: Partial<RunOptions> & { agent?: Partial<AgentOptions> } = {},
) {
  const it = defineTool({
    name: 'it',
    description: '',
    input: anything,
    run: () => 'ran',
    ...tool,
  } as Parameters<typeof defineTool>[0]);
  return run(defineAgent({ name: 'a', tools: [it], ...agent }), 'Go', {
    model: new ScriptedModel([calls(['it', { n: 1 }]), 'ok']),
    ...options,
  });
}

describe('what a tool gives back', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const noText = Object.create(null);
  const failures: Record<string, () => unknown> = {
    'a value that goes in circles': () => cyclic,
    'a bigint': () => 10n,
    'a thrown string': () => Promise.reject('plainly no'),
    'a thrown nothing': () => Promise.reject(undefined),
    'a thrown object without text': () => Promise.reject(noText),
    'an error whose message is no text': () =>
      Promise.reject(Object.assign(new Error(), { message: { code: 1 }, name: noText })),
  };
  for (const [what, give] of Object.entries(failures)) {
    it(`is a failed call the model can act on: ${what}`, async () => {
      const result = await callOnce({ run: give });
      assert.equal(result.status, 'completed', result.explanation);
      const [said] = toolTexts(result.events);
      assert.match(said ?? '', /^\[ToolError\] /);
      for (const event of result.events) parseEvent(JSON.parse(JSON.stringify(event)));
    });
  }

  it('waits for a tool with an endless timeout, and one past what a timer can hold', async () => {
    for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31]) {
      const slow = () => new Promise((resolve) => setTimeout(resolve, 10, 'late'));
      const { events } = await callOnce({ timeout, run: slow });
      assert.deepEqual(toolTexts(events), ['late']);
    }
  });
});

describe('a refinement', () => {
  const throwing = z.object({ n: z.number().transform((n) => new URL(String(n))) });

  it('that throws is a call the model can correct', async () => {
    const result = await callOnce({ input: throwing });
    assert.equal(result.status, 'completed', result.explanation);
    assert.match(toolTexts(result.events).join(), /Invalid URL/);
  });

  it('that answers later is heard before the tool runs', async () => {
    let ran = 0;
    const later = z.object({ n: z.number().refine(async (n) => n !== 1, 'not one') });
    const result = await callOnce({ input: later, run: () => ++ran });
    assert.equal(ran, 0);
    assert.match(toolTexts(result.events).join(), /n: not one/);
  });
});

describe('a function of the caller that throws', () => {
  const bug = new Error('my bug');
  const oops = () => {
    throw bug;
  };

  it('rejects the run with what it threw, whichever it is', async () => {
    const rejects = (outcome: Promise<unknown>) => assert.rejects(outcome, bug);
    await rejects(callOnce({ approval: oops }));
    await rejects(callOnce({ approval: true }, { approve: oops }));
    await rejects(callOnce({ approval: true }, { approve: async () => oops() }));
    await rejects(callOnce({}, { onDelta: oops }));
    await rejects(callOnce({}, { clock: oops }));
    await rejects(callOnce({}, { agent: { context: { compaction: oops } } }));
    const model = new ScriptedModel([says('')]);
    await rejects(callOnce({}, { model, agent: { nudge: oops } }));
  });

  it('rejects the run at whatever event onEvent throws', async () => {
    const seen = new Set<string>();
    await callOnce({ approval: true }, { onEvent: ({ type }) => seen.add(type) });
    assert.ok(seen.size > 8);
    for (const type of seen) {
      const onEvent = (event: RunEvent) => (event.type === type ? oops() : undefined);
      await assert.rejects(callOnce({ approval: true }, { onEvent }), bug, type);
    }
  });

  it('says so when there is no model', async () => {
    // @ts-expect-error a caller without types
    const outcome = run(defineAgent({ name: 'a' }), 'Go', {});
    await assert.rejects(outcome, (error) => ForgeError.is(error, 'invalid_options'));
  });

  it('says so when approve gives neither yes nor no', async () => {
    // @ts-expect-error a caller without types
    const outcome = callOnce({ approval: true }, { approve: () => ({ approved: 'yes' }) });
    await assert.rejects(outcome, (error) => ForgeError.is(error, 'invalid_options'));
  });
});

describe('a model that does not keep to its contract', () => {
  it('is not heard after the run has ended', async () => {
    const stop = new AbortController();
    const heard: string[] = [];
    const late = Promise.withResolvers<void>();
    const model: Model = {
      id: 'deaf',
      complete: async (_, { onDelta }) => {
        stop.abort();
        await Promise.resolve();
        onDelta?.({ type: 'text', text: 'still here' });
        late.resolve();
        return says('too late');
      },
    };
    const result = await callOnce(
      {},
      { model, signal: stop.signal, onDelta: ({ text }) => heard.push(text) },
    );
    await late.promise;
    assert.equal(result.status, 'cancelled');
    assert.deepEqual(heard, []);
  });

  it('may report usage that is no number without breaking the log or the limits', async () => {
    const usage = { inputTokens: Number.NaN, outputTokens: 7, reasoningTokens: Number.NaN };
    const reply = { ...says('ok'), usage, cost: Number.NaN, raw: 1n };
    const result = await callOnce({}, { model: new ScriptedModel([reply]) });
    assert.equal(result.usage.inputTokens, 0);
    assert.equal(result.usage.outputTokens, 7);
    assert.equal(result.usage.cost, 0);
    for (const event of result.events) parseEvent(JSON.parse(JSON.stringify(event)));
  });

  it('does not hold a run past its time by never saying how long its window is', async () => {
    const model: Model = {
      id: 'silent',
      complete: async () => says('ok'),
      contextLength: () => new Promise(() => {}),
    };
    const result = await callOnce({}, { model, agent: { limits: { duration: 20 } } });
    assert.notEqual(result.status, 'paused');
  });

  it('does not outlive a summary that never comes', async () => {
    const stop = new AbortController();
    const history = [says('word '.repeat(200)), says('more '.repeat(200))].map(({ content }) => ({
      role: 'assistant' as const,
      content: [...content],
    }));
    const compaction: CompactionStrategy = ({ window }) => ({
      tier: 'mine',
      changes: [],
      summarize: { entries: window.map(({ id }) => id), maxTokens: 50 },
    });
    const summarize = () => {
      setTimeout(() => stop.abort(), 1);
      return new Promise<string>(() => {});
    };
    const result = await callOnce(
      {},
      {
        history,
        signal: stop.signal,
        agent: { context: { compaction, summarize } },
      },
    );
    assert.equal(result.status, 'cancelled', result.explanation);
    assert.ok(result.events.some((event) => event.type === 'context.summary_requested'));
  });
});

describe('limits of a run', () => {
  it('do not end a run whose time is longer than a timer can hold', async () => {
    for (const duration of [2 ** 31, Number.POSITIVE_INFINITY]) {
      const slow = () => new Promise((resolve) => setTimeout(resolve, 10, 'late'));
      const { status } = await callOnce({ run: slow }, { agent: { limits: { duration } } });
      assert.equal(status, 'completed');
    }
  });

  it('of 0 end it at the first thing that counts', async () => {
    const reasonWith = async (limits: AgentOptions['limits'], model?: Model) =>
      (
        await callOnce(
          { run: () => Promise.reject('no') },
          { agent: { limits }, ...(model && { model }) },
        )
      ).reason;
    assert.equal(
      await reasonWith({ retries: 0 }, new ScriptedModel([says('')])),
      'retries_exhausted',
    );
    assert.equal(await reasonWith({ toolErrors: 0 }), 'tool_errors');
    assert.equal(await reasonWith({ tokens: 0 }), 'token_limit');
    assert.equal(await reasonWith({ cost: 0 }), 'cost_limit');
    assert.equal(await reasonWith({ duration: 0 }), 'time_limit');
  });

  it('that are no numbers are errors: null is what JSON makes of Infinity', () => {
    for (const tokens of [null, '5', Number.NaN, -1]) {
      // @ts-expect-error a caller without types
      const define = () => defineAgent({ name: 'a', limits: { tokens } });
      assert.throws(define, (error) => ForgeError.is(error, 'invalid_agent'));
    }
    // @ts-expect-error not a limit, though every object has it
    assert.throws(() => defineAgent({ name: 'a', limits: { toString: 5 } }), /limits has no/);
  });

  it('are not stretched by a clock that is set back', async () => {
    let now = 1_000;
    const result = await callOnce(
      { run: () => new Promise(() => {}) },
      { clock: () => (now -= 100), agent: { limits: { duration: 30 } } },
    );
    assert.equal(result.reason, 'time_limit');
  });
});
