import assert from 'node:assert/strict';
import { createGuard, defineTool, freshProgress, judgeReply, type ModelReply } from '@forge/core';
import { Ajv } from 'ajv';
import * as z from 'zod';
import { codingTools } from './fixtures/coding-tools.ts';
import type { Bench, Comparison } from './harness/bench.ts';
import { cycle } from './harness/cycle.ts';

/** The reply of a chat server, as far as it is read here. */
interface WireReply {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string;
        readonly tool_calls: readonly {
          readonly id: string;
          readonly function: { readonly name: string; readonly arguments: string };
        }[];
      };
    },
  ];
}

const argumentsOf: Readonly<Record<string, unknown>> = {
  read_file: { path: 'packages/core/src/kernel/decide.ts', offset: 40, limit: 120 },
  search_text: { query: 'export function', folder: 'packages', ignore_case: true, limit: 50 },
  edit_file: {
    path: 'packages/core/src/kernel/decide.ts',
    find: "case 'idle':\n      return [];",
    replace: "case 'idle':\n      return [{ type: 'await_input' }];",
  },
  run_command: { command: 'npm test -- packages/core/src/kernel', timeout_ms: 120_000 },
  plan_work: {
    goal: 'Let an idle run wait for input',
    steps: [
      { title: 'Read the kernel', status: 'done', minutes: 5 },
      { title: 'Change the decision', status: 'doing', minutes: 10, after: [0] },
      { title: 'Test it', status: 'open', minutes: 10, after: [0, 1] },
    ],
  },
  git_commit: { message: 'Let an idle run wait for input', files: ['decide.ts', 'decide.test.ts'] },
};

function wireReply(names: readonly string[]): string {
  return JSON.stringify({
    id: 'chatcmpl-9c1d2e3f4a5b6c7d',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'qwen3-coder-30b-a3b-instruct',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'I will look at what is there before I change it.',
          tool_calls: names.map((name, index) => ({
            id: `call_${index}_4f2a9b`,
            type: 'function',
            function: { name, arguments: JSON.stringify(argumentsOf[name]) },
          })),
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 6_210,
      completion_tokens: 74,
      total_tokens: 6_284,
      prompt_tokens_details: { cached_tokens: 5_888, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    system_fingerprint: 'b6123-0a1b2c3d',
  });
}

function toReply({ choices: [choice] }: WireReply): ModelReply {
  const { content, tool_calls } = choice.message;
  return {
    content: [
      { type: 'text', text: content },
      ...tool_calls.map((call) => ({
        type: 'tool_call' as const,
        id: call.id,
        name: call.function.name,
        args: call.function.arguments,
      })),
    ],
    finish: 'tool_calls',
  };
}

const parse = (text: string): WireReply => JSON.parse(text);

const guard = createGuard({
  tools: codingTools.map(({ name, description, parameters }) =>
    defineTool({ name, description, input: parameters, run: () => null }),
  ),
  requiredSteps: ['read_file'],
  terminalTools: ['finish'],
});
const ajv = new Ajv();
const ajvChecks = new Map(codingTools.map((tool) => [tool.name, ajv.compile(tool.parameters)]));
const zodChecks = new Map(
  codingTools.map(({ name, parameters }) => [
    name,
    z.fromJSONSchema(typeof parameters === 'boolean' ? {} : { ...parameters }),
  ]),
);

function checkEach(
  { choices: [choice] }: WireReply,
  fits: (name: string, args: unknown) => boolean,
) {
  let sound = 0;
  for (const { function: call } of choice.message.tool_calls) {
    if (fits(call.name, JSON.parse(call.arguments))) sound += 1;
  }
  return sound;
}

function compareReplies(title: string, batches: readonly (readonly string[])[]): Comparison {
  const texts = batches.map(wireReply);
  const wires = texts.map(parse);
  const replies = wires.map(toReply);
  for (const reply of replies) {
    const { kind } = judgeReply(guard, freshProgress, reply, 'call_1');
    assert.equal(kind, 'execute', 'the bench is about clean replies');
  }
  const bytes = Math.round(texts.reduce((sum, { length }) => sum + length, 0) / texts.length);
  return {
    kind: 'comparison',
    title: `${title}, 20 tools, ${bytes} bytes on average`,
    baseline: 'JSON.parse of the reply',
    contenders: [
      { name: 'JSON.parse of the reply', run: cycle(texts, parse) },
      {
        name: 'Forge: judge the parsed reply',
        run: cycle(replies, (reply) => judgeReply(guard, freshProgress, reply, 'call_1')),
      },
      {
        name: 'Forge: JSON.parse and judge',
        run: cycle(texts, (text) =>
          judgeReply(guard, freshProgress, toReply(parse(text)), 'call_1'),
        ),
      },
      {
        name: 'zod alone: JSON.parse of the arguments and check',
        run: cycle(wires, (wire) =>
          checkEach(wire, (name, args) => zodChecks.get(name)?.safeParse(args).success ?? false),
        ),
      },
      {
        name: 'ajv alone: JSON.parse of the arguments and check',
        run: cycle(wires, (wire) =>
          checkEach(wire, (name, args) => ajvChecks.get(name)?.(args) ?? false),
        ),
      },
    ],
    targets: [{ contender: 'Forge: judge the parsed reply', atMost: 2 }],
    notes: [
      'Forge also parses the arguments, and checks names, order, repetition and budgets; zod and ajv only check arguments.',
    ],
  };
}

const names = Object.keys(argumentsOf);

export const bench: Bench = {
  name: 'guarded-turn',
  sections: [
    compareReplies(
      'Judging a clean native reply with one call',
      names.map((name) => [name]),
    ),
    compareReplies(
      'Judging a clean native reply with three calls',
      names.map((name, index) => [
        name,
        names[(index + 1) % names.length] ?? name,
        names[(index + 2) % names.length] ?? name,
      ]),
    ),
  ],
};
