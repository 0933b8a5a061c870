import { codingTools } from '../fixtures/coding-tools.ts';

/** What the fake backend answers; a request asks for one by its model's name. */
export const replyKinds = ['call', 'text', 'stream-text', 'stream-call'] as const;
export type ReplyKind = (typeof replyKinds)[number];

export function isReplyKind(value: unknown): value is ReplyKind {
  return replyKinds.some((kind) => kind === value);
}

/** One kind of traffic. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly reply: ReplyKind;
  readonly tools: number;
  /** Calls and their results in the conversation so far. */
  readonly calls: number;
  readonly stream: boolean;
}

export const workloads = [
  {
    name: 'call-1',
    title: 'Whole reply with a native call, 1 tool',
    reply: 'call',
    tools: 1,
    calls: 1,
    stream: false,
  },
  {
    name: 'call-20',
    title: 'Whole reply with a native call, 20 tools',
    reply: 'call',
    tools: 20,
    calls: 1,
    stream: false,
  },
  {
    name: 'call-long',
    title: 'Whole reply with a native call, 20 tools, after 12 calls',
    reply: 'call',
    tools: 20,
    calls: 12,
    stream: false,
  },
  {
    name: 'text-20',
    title: 'Whole reply of text, 20 tools',
    reply: 'text',
    tools: 20,
    calls: 1,
    stream: false,
  },
  {
    name: 'stream-text',
    title: 'Stream of 200 text chunks, 20 tools',
    reply: 'stream-text',
    tools: 20,
    calls: 1,
    stream: true,
  },
  {
    name: 'stream-call',
    title: 'Stream with a native call in 24 chunks, 20 tools',
    reply: 'stream-call',
    tools: 20,
    calls: 1,
    stream: true,
  },
] as const satisfies readonly Workload[];

export type WorkloadName = (typeof workloads)[number]['name'];

export function workloadNamed(name: unknown): Workload {
  const found = workloads.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no workload ${String(name)}.`);
  return found;
}

/**
 * The body of a request in the middle of a task: a system prompt, a question, calls and their
 * results. `serial` makes every conversation another one, and always takes as many bytes.
 */
export function requestBody(workload: Workload, serial: string): string {
  const { reply, stream, tools, calls } = workload;
  return JSON.stringify({
    model: reply,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: `Task ${serial}: find out why the build is red and mend it.` },
      ...Array.from({ length: calls }, (_, at) => exchange(`call_${at}_${serial}`, at)).flat(),
    ],
    tools: codingTools.slice(0, tools).map((tool) => ({ type: 'function', function: tool })),
    temperature: 0.2,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  });
}

/** A call and its result, unlike those before it. */
function exchange(id: string, at: number) {
  const args = JSON.stringify({ path: at === 0 ? 'package.json' : `src/part-${at}/package.json` });
  const call = { id, type: 'function', function: { name: 'read_file', arguments: args } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

const system =
  'You are a careful engineer who works in a repository. Look before you change anything, make ' +
  'the smallest change that mends the fault, run the tests, and say what you did in two sentences.';

const result = JSON.stringify({
  name: 'demo',
  version: '1.0.0',
  type: 'module',
  scripts: { build: 'tsc -b', test: 'node --test', lint: 'biome check .' },
  devDependencies: { typescript: '^5.9.0' },
});
