import type { CompactionStrategy } from '../context/compaction.ts';
import type { WarningStep } from '../context/context-warning.ts';
import type { BudgetMode } from '../context/resolve-budget.ts';
import type { ReasoningReplay } from '../context/sent-window.ts';
import { ForgeError } from '../errors.ts';
import { createGuard, type Guard, type GuardOptions } from '../guardrails/create-guard.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { Output } from '../kernel/state.ts';
import type { Message } from '../messages/message.ts';
import type { Program } from './program.ts';

export interface ContextOptions {
  /** Where the budget comes from. Default `backend`, or `manual` when `tokens` is given. */
  readonly mode?: BudgetMode;
  /** The budget in tokens, for `manual`. */
  readonly tokens?: number;
  /** Tokens of the window that are kept free for a reply, a quarter of it at most. Default 0. */
  readonly reserveForReply?: number;
  /** How the context is kept within it. Default: tiers. */
  readonly compaction?: CompactionStrategy;
  /** Writes a summary of old messages, the last thing tried before giving up. */
  readonly summarize?: (
    messages: readonly Message[],
    options: { signal: AbortSignal },
  ) => Promise<string>;
  /** How much of the model's own reasoning it sees again. Default: what the model asks for, else `last`. */
  readonly reasoningReplay?: ReasoningReplay;
  /** What the model is told as space gets short. Default at 0.65 and 0.8 of the budget; none: []. */
  readonly warnings?: readonly WarningStep[];
}

export interface AgentOptions extends GuardOptions {
  readonly name: string;
  /** The system prompt, sent word for word. */
  readonly instructions?: string;
  readonly context?: ContextOptions;
  /** A conversation: an answer does not end the run, which then waits for what comes next. */
  readonly standing?: boolean;
  /** The kind of work, by which models are chosen and outcomes compared. Default: the name. */
  readonly taskType?: string;
  /** Which wording of the instructions this is, such as `coder@3f2a91c0`. */
  readonly version?: string;
  /** What a run that came to its end amounts to. Default: it succeeded. */
  readonly judge?: (output: Output) => Judgement;
}

/** How a run came out, in the eyes of its agent. */
export interface Judgement extends Pick<Outcome, 'kind' | 'verdict'> {
  readonly note?: string;
}

/** Who runs: instructions, rules and tools. Plain and immutable; one agent serves many runs. */
export interface Agent {
  readonly name: string;
  readonly instructions: string;
  readonly guard: Guard;
  readonly context: ContextOptions;
  readonly standing: boolean;
  readonly taskType: string;
  readonly version?: string;
  readonly judge?: (output: Output) => Judgement;
  /** Says what is next in the place of a model. Made with `defineProgram`. */
  readonly program?: Program;
}

/**
 * An agent. Mistakes in the definition (unknown names, a terminal tool among the required
 * steps, two tools of one name) are errors here, with the fix in the message.
 *
 * @example
 * const agent = defineAgent({
 *   name: 'weather',
 *   instructions: 'Answer questions about the weather.',
 *   tools: [forecast, report],
 *   requiredSteps: ['get_forecast'],
 *   terminalTools: ['report'],
 * });
 */
export function defineAgent(options: AgentOptions): Agent {
  const { name, instructions = '', context = {}, standing = false, version, judge } = options;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ForgeError('invalid_agent', 'An agent needs a name.');
  }
  return {
    name,
    instructions,
    guard: createGuard(options),
    context,
    standing,
    taskType: options.taskType ?? name,
    ...(version !== undefined && { version }),
    ...(judge !== undefined && { judge }),
  };
}
