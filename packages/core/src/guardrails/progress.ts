import { canonicalJson, type JsonObject } from '../json.ts';

/** One executed turn, as loop detection remembers it. */
export interface TurnPrint {
  /** The calls of the turn, with their arguments. */
  readonly calls: string;
  /** What came back, folded to a short hash. */
  readonly results: string;
}

/**
 * What the guardrails remember of a run. A plain value: the kernel keeps it in its state, the
 * proxy in a session, a foreign loop in the facade.
 */
export interface Progress {
  /** Refused replies in a row, by what they drain. */
  readonly retries: number;
  readonly premature: number;
  readonly prerequisites: number;
  readonly repeats: number;
  /** Failed tool calls in a row. */
  readonly toolErrors: number;
  /** What has been established: `tool`, or `tool.argument=value` where a prerequisite matches on it. */
  readonly facts: readonly string[];
  /** The last executed turns, newest last. */
  readonly recent: readonly TurnPrint[];
}

export const freshProgress: Progress = {
  retries: 0,
  premature: 0,
  prerequisites: 0,
  repeats: 0,
  toolErrors: 0,
  facts: [],
  recent: [],
};

/** The longest loop that is noticed, and how often it must have gone round. */
export const longestLoop = 3;
export const loopRounds = 3;
const rememberedTurns = longestLoop * loopRounds;
const rememberedFacts = 1_000;

export type Drain = 'retries' | 'premature' | 'prerequisites' | 'repeats';

export function noteRefusal(progress: Progress, drain: Drain): Progress {
  return { ...progress, [drain]: progress[drain] + 1 };
}

/** A batch was accepted: whatever was refused before it is forgiven. */
export function noteAccepted(progress: Progress): Progress {
  const { retries, premature, prerequisites, repeats } = progress;
  if (retries + premature + prerequisites + repeats === 0) return progress;
  return { ...progress, retries: 0, premature: 0, prerequisites: 0, repeats: 0 };
}

export interface CallOutcome {
  readonly name: string;
  readonly args: JsonObject;
  readonly outcome: 'ok' | 'error' | 'not_found' | 'other';
  /** Established by its success. */
  readonly facts: readonly string[];
  /** The result, as text. */
  readonly output: string;
}

/** All calls of an accepted batch have ended. */
export function noteBatch(progress: Progress, calls: readonly CallOutcome[]): Progress {
  let { toolErrors } = progress;
  const learned = new Set<string>();
  for (const call of calls) {
    if (call.outcome === 'error') toolErrors += 1;
    if (call.outcome !== 'ok') continue;
    toolErrors = 0;
    for (const fact of call.facts) if (!progress.facts.includes(fact)) learned.add(fact);
  }
  const print: TurnPrint = {
    calls: printCalls(calls),
    results: calls.map((call) => `${call.outcome}:${hash(call.output)}`).join(' '),
  };
  return {
    ...progress,
    toolErrors,
    facts: learned.size === 0 ? progress.facts : remember(progress.facts, learned),
    recent: [...progress.recent.slice(1 - rememberedTurns), print],
  };
}

export function printCalls(calls: readonly { name: string; args: unknown }[]): string {
  return calls.map((call) => `${call.name}${canonicalJson(call.args)}`).join('\n');
}

/**
 * When there are too many, the oldest that quote an argument go: a forgotten one only asks for its
 * step again. Those that are a tool's name stay, there are no more of them than tools.
 */
function remember(facts: readonly string[], learned: Iterable<string>): readonly string[] {
  const all = [...facts, ...learned];
  let surplus = all.length - rememberedFacts;
  return all.filter((fact) => surplus <= 0 || !fact.includes('=') || surplus-- <= 0);
}

/** FNV-1a over the first 4,096 characters and the length. */
function hash(value: string): string {
  let sum = 0x811c9dc5;
  const end = Math.min(value.length, 4_096);
  for (let at = 0; at < end; at++) sum = Math.imul(sum ^ value.charCodeAt(at), 0x01000193);
  return `${(sum >>> 0).toString(36)}.${value.length}`;
}
