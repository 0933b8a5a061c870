import { allOff } from '../guardrails/switches.ts';
import type { Tool } from '../tools/define-tool.ts';
import { type Agent, type AgentOptions, defineAgent } from './define-agent.ts';
import type { Limits } from './limits.ts';
import type { Program } from './program.ts';

export interface ProgramOptions extends Pick<AgentOptions, 'name' | 'taskType' | 'judge'> {
  readonly tools: readonly Tool[];
  readonly program: Program;
  readonly limits?: Partial<Pick<Limits, 'duration' | 'parallelTools' | 'turns'>>;
}

const unbounded = Number.POSITIVE_INFINITY;
/** A program that goes round in circles ends all the same; no sane one comes near it. */
const mostTurns = 25_000;

/**
 * An agent without a model: a pure function says which tools are called next. Its calls are checked
 * like a model's, and it is as durable as any run.
 *
 * @example
 * defineProgram({
 *   name: 'greeter',
 *   tools: [greet],
 *   program: ({ calls: [call] }) =>
 *     call === undefined
 *       ? { type: 'call', calls: [{ id: 'greet', name: 'greet', args: {} }] }
 *       : { type: 'finish', output: call.text },
 * });
 */
export function defineProgram({ program, limits, ...options }: ProgramOptions): Agent {
  const agent = defineAgent({
    ...options,
    context: { mode: 'manual', tokens: Number.MAX_SAFE_INTEGER, warnings: [] },
    limits: {
      turns: mostTurns,
      toolErrors: unbounded,
      callsPerTurn: unbounded,
      retries: 0,
      ...limits,
    },
    // A program is not nudged: a call of its that is wrong is a bug, and ends the run.
    guardrails: { ...allOff, arguments: true },
  });
  return { ...agent, program };
}
