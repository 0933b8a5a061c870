import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, defineAgent, defineTool, type Tool } from '@forge/core';
import type { Execution, Ledger } from './ledger.ts';

const input = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

/** Tools that may run again after a crash. All others must not run twice for one call. */
export const idempotentTools: ReadonlySet<string> = new Set(['note', 'careful', 'background']);
/** Tools that are carried out by somebody else, so that no worker writes them into the ledger. */
export const outsideTools: ReadonlySet<string> = new Set(['delegate', 'ask', 'hook']);

interface Kind {
  readonly approval?: boolean;
  readonly backgroundAfter?: number;
  /** Milliseconds before it does what it does. */
  readonly takes?: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  note: {},
  pay: {},
  slow: { takes: 60 },
  background: { takes: 120, backgroundAfter: 20 },
  guarded: { approval: true },
  careful: { approval: true, takes: 10 },
};

/** The agents of the chaos tests. What their tools do in the world is a line in the ledger. */
export function chaosAgents(ledger: Ledger<Execution>): readonly Agent[] {
  const tool = (name: string, { takes = 0, ...more }: Kind): Tool =>
    defineTool({
      name,
      description: name,
      input,
      idempotent: idempotentTools.has(name),
      ...more,
      run: async ({ n }, { idempotencyKey, runId, signal }) => {
        if (takes > 0) await pause(takes, undefined, { signal });
        ledger.write({ key: idempotencyKey, tool: name, run: runId, pid: process.pid });
        return `${name} ${String(n)}`;
      },
    });
  const tools = Object.entries(kinds).map(([name, kind]) => tool(name, kind));
  const delegate = defineTool({
    name: 'delegate',
    description: 'Has a helper do it',
    input: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
    answeredBy: { type: 'agent', agent: 'helper' },
  });
  const ask = defineTool({
    name: 'ask',
    description: 'Asks a person',
    input,
    answeredBy: { type: 'person' },
  });
  const hook = defineTool({ name: 'hook', description: 'Somebody calls back', input });
  // Nothing here is about budgets.
  const limits = { turns: 5_000, toolErrors: 5_000 };
  const context = { tokens: 1_000_000 };
  return [
    defineAgent({ name: 'clerk', tools: [...tools, delegate, ask, hook], limits }),
    // A conversation goes on while its calls wait for somebody.
    defineAgent({ name: 'desk', standing: true, tools: [...tools, delegate, ask, hook], limits }),
    defineAgent({ name: 'helper', tools: tools.slice(0, 2), limits }),
    defineAgent({ name: 'chat', standing: true, limits, context }),
  ];
}
