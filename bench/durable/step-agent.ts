import { type Agent, defineAgent, defineTool, type Model, type ModelReply } from '@forge/core';
import { stepsPerRun } from './engine.ts';

/** Asks for one step after the other, then ends. `onStep` is told of each step as it is done. */
export function stepAgent(onStep: (runId: string) => void): Agent {
  const step = defineTool({
    name: 'step',
    description: 'Does one step',
    input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    run: ({ number }, { runId }) => {
      onStep(runId);
      return `done ${String(number)}`;
    },
  });
  return defineAgent({
    name: 'stepper',
    instructions: 'Do all steps, one after the other.',
    tools: [step],
    limits: { turns: 1_000 },
    context: { mode: 'manual', tokens: 100_000 },
  });
}

/** A pure function of the request: as many steps as results it has seen, and no waiting. */
export const stepModel: Model = {
  id: 'stepper',
  complete: async ({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length;
    return done < stepsPerRun ? callStep(done + 1) : answer;
  },
};

const usage = { inputTokens: 500, outputTokens: 20 };
const answer: ModelReply = {
  content: [{ type: 'text', text: 'All done.' }],
  finish: 'stop',
  usage,
};

function callStep(number: number): ModelReply {
  const args = JSON.stringify({ number });
  return {
    content: [{ type: 'tool_call', id: `c${number}`, name: 'step', args }],
    finish: 'tool_calls',
    usage,
  };
}
