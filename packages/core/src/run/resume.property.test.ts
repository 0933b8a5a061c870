import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defineAgent } from '../agents/define-agent.ts';
import { pairingViolations } from '../context/pairing-rules.ts';
import { parseEvent, type RunEvent } from '../kernel/events.ts';
import { fold } from '../kernel/evolve.ts';
import { type Message, textOf } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import { calls, ScriptedModel, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { run } from './run.ts';
import type { RunOptions, RunResult } from './run-types.ts';

const input = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

/** Keys of the payments that were made. */
let paid: string[] = [];

const tools = [
  defineTool({
    name: 'look',
    description: '',
    input,
    idempotent: true,
    run: ({ n }) => `saw ${n}`,
  }),
  defineTool({
    name: 'pay',
    description: '',
    input,
    run: (_, { idempotencyKey }) => {
      paid.push(idempotencyKey);
      return 'paid';
    },
  }),
  defineTool({
    name: 'break',
    description: '',
    input,
    idempotent: true,
    run: () => Promise.reject(new Error('broken')),
  }),
  defineTool({
    name: 'risk',
    description: '',
    input,
    idempotent: true,
    approval: true,
    run: ({ n }) => `dared ${n}`,
  }),
  defineTool({ name: 'ask', description: '', input }),
  defineTool({
    name: 'tell',
    description: '',
    input,
    idempotent: true,
    triggers: false,
    run: () => 'told',
  }),
  defineTool({ name: 'submit', description: '', input, idempotent: true, run: () => 'in' }),
];

const agent = defineAgent({
  name: 'a',
  tools,
  requiredSteps: ['look'],
  terminalTools: ['submit'],
  limits: { turns: 1_000, parallelTools: 2 },
});

const n = fc.integer({ min: 0, max: 3 });
const oneOf = (...names: string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.record({ n }), fc.constantFrom('', 'x', 'y', 'call_1_2'));
function scripts(...names: string[]): fc.Arbitrary<ModelReply[]> {
  const batch = fc
    .array(oneOf(...names, 'unknown'), { minLength: 1, maxLength: 4 })
    .map((list) => calls(...list));
  const reply = fc.oneof(
    { weight: 4, arbitrary: batch },
    { weight: 1, arbitrary: fc.constantFrom(says('hm'), says(''), calls(['look', '{"n": "1"}'])) },
  );
  return fc.array(reply, { maxLength: 6 });
}

const end = [calls(['look', { n: 9 }]), calls(['submit', { n: 9 }])];

/** Goes on until the run ends, answering what it waits for. */
async function finish(options: RunOptions & { say?: string }): Promise<RunResult> {
  const isNew = options.events === undefined;
  let result = await run(agent, options.say ?? (isNew ? 'Go' : undefined), options);
  while (result.status === 'paused') {
    const { events } = result;
    const results = Object.fromEntries(result.pending.map(({ callId }) => [callId, 'yes']));
    const more = result.pending.length === 0 ? 'Go on' : undefined;
    result = await run(agent, more, { ...options, events, results });
  }
  return result;
}

const approve = ({ args }: { args: { n?: unknown } }) => ({ approved: args.n !== 0 });
const stored = (events: readonly RunEvent[]) =>
  events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A run over the script, and the same run taken up again from every prefix of its log. */
async function everyPrefix(
  script: readonly ModelReply[],
  check: (whole: RunResult, resumed: RunResult, prefix: readonly RunEvent[]) => void,
  say?: string,
) {
  const lines = [...script, ...end];
  const whole = await finish({ model: new ScriptedModel(lines), approve, clock: () => 0 });
  for (let length = 1; length <= whole.events.length; length++) {
    const prefix = whole.events.slice(0, length);
    const replies = prefix.filter((event) => event.type === 'model.replied').length;
    paid = [];
    const resumed = await finish({
      model: new ScriptedModel([...lines.slice(replies), ...end, ...end]),
      approve,
      events: stored(prefix),
      clock: () => 0,
      say,
    });
    check(whole, resumed, prefix);
  }
}

/** Ids that are made up name the turn, and a turn that is asked for again has another number. */
const withoutIds = (messages: readonly Message[]): unknown =>
  JSON.parse(JSON.stringify(messages).replace(/"(id|callId)":"\w*"/g, '"$1":""'));

describe('a run that is taken up again from its stored log', () => {
  it('ends like one that was never left, wherever it was left', async () => {
    const safe = scripts('look', 'break', 'risk', 'ask', 'tell', 'submit');
    await fc.assert(
      fc.asyncProperty(safe, (script) =>
        everyPrefix(script, (whole, resumed) => {
          const { status, reason, output, messages } = resumed;
          assert.deepEqual(
            plain({ status, reason, output, messages: withoutIds(messages) }),
            plain({ ...pick(whole), messages: withoutIds(whole.messages) }),
          );
        }),
      ),
      { numRuns: 60 },
    );
  });

  it('repeats no effect that is not safe to repeat, and still ends', async () => {
    await fc.assert(
      fc.asyncProperty(scripts('look', 'pay', 'ask', 'submit'), (script) =>
        everyPrefix(script, (_, resumed, prefix) => {
          assert.notEqual(resumed.status, 'paused');
          const before = prefix.flatMap((event) =>
            event.type === 'tool.started' && event.name === 'pay' ? [event.idempotencyKey] : [],
          );
          for (const key of paid) assert.ok(!before.includes(key), `${key} was paid twice`);
          assert.equal(new Set(paid).size, paid.length);
        }),
      ),
      { numRuns: 40 },
    );
  });

  it('folds to the same state from storage, event by event', async () => {
    await fc.assert(
      fc.asyncProperty(scripts('look', 'pay', 'break', 'risk', 'ask', 'submit'), async (script) => {
        const model = new ScriptedModel([...script, ...end]);
        const { events } = await finish({ model, approve });
        for (let length = 1; length <= events.length; length++) {
          const prefix = events.slice(0, length);
          assert.deepEqual(plain(fold(stored(prefix))), plain(fold(prefix)));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('hears what is said to it at any point, once, and keeps every call paired', async () => {
    await fc.assert(
      fc.asyncProperty(scripts('look', 'risk', 'ask', 'tell'), (script) =>
        everyPrefix(
          script,
          (_, resumed) => {
            const heard = resumed.messages.filter((message) => textOf(message) === 'Listen!');
            const inTime = resumed.reason !== 'terminal_tool' || heard.length === 1;
            assert.ok(heard.length <= 1);
            assert.ok(inTime || endedWhileActing(resumed));
            assert.deepEqual(pairingViolations('openai', resumed.messages), []);
          },
          'Listen!',
        ),
      ),
      { numRuns: 40 },
    );
  });
});

function pick({ status, reason, output }: RunResult) {
  return { status, reason, output };
}

/** The terminal call was already made when the words came. */
function endedWhileActing({ events }: RunResult): boolean {
  const said = events.findLastIndex((event) => event.type === 'input.received');
  return !events.slice(said).some((event) => event.type === 'model.requested');
}
