import { ForgeError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ModelReply } from '../models.ts';
import { pendingSteps } from './check-order.ts';
import { createGuard, type GuardOptions } from './create-guard.ts';
import { judgeReply } from './judge-reply.ts';
import { freshProgress, noteAccepted, noteBatch, noteRefusal, type Progress } from './progress.ts';
import type { CheckedCall, Verdict } from './verdict.ts';

/** What became of a call that `check` let through. */
export interface CallResult {
  readonly id: string;
  /** `not_found`: it worked and found nothing. Completes no step, costs no error budget. */
  readonly outcome: 'ok' | 'error' | 'not_found';
  /** Its result as text. With it, a call that keeps getting new results is not taken for a loop. */
  readonly output?: string;
}

export interface Recorded {
  /** A terminal tool succeeded: stop. */
  readonly done: boolean;
  readonly pendingSteps: readonly string[];
  /** Failed calls in a row went over the limit: stop. */
  readonly tooManyErrors: boolean;
}

/** The guardrails without the loop. */
export interface Guardrails {
  /** What to do with a reply. Text is taken for a whole reply. */
  check(reply: ModelReply | string): Verdict;
  /** Tell it what became of the calls of the last `execute`. */
  record(results: readonly CallResult[]): Recorded;
  /** What it remembers: a plain value, to be kept and given back as `progress`. */
  readonly progress: Progress;
}

/**
 * Guardrails for a loop you own: `check` every reply, carry out what it lets through, `record`
 * what became of it.
 *
 * @example
 * const guardrails = createGuardrails({ tools, requiredSteps: ['search'] });
 * const verdict = guardrails.check(await askMyModel(messages));
 * if (verdict.kind === 'execute') guardrails.record(await runThem(verdict.calls));
 * else if (verdict.kind === 'retry' || verdict.kind === 'blocked') messages.push(verdict.message, ...verdict.nudges);
 */
export function createGuardrails(
  options: GuardOptions & { readonly progress?: Progress },
): Guardrails {
  const guard = createGuard(options);
  let progress = options.progress ?? freshProgress;
  let open: readonly CheckedCall[] = [];
  let turn = 0;

  return {
    get progress() {
      return progress;
    },
    check(reply) {
      const whole: ModelReply =
        typeof reply === 'string'
          ? { content: [{ type: 'text', text: reply }], finish: 'stop' }
          : reply;
      turn += 1;
      const verdict = judgeReply(guard, progress, whole, `call_${turn}`);
      open = verdict.kind === 'execute' ? verdict.calls : [];
      if (verdict.kind === 'execute' || verdict.kind === 'answer')
        progress = noteAccepted(progress);
      if (verdict.kind === 'retry' || verdict.kind === 'blocked') {
        progress = noteRefusal(progress, verdict.drain);
      }
      return verdict;
    },
    record(results) {
      const outcomes = results.map(({ id, outcome, output = '' }) => {
        const { name, args, facts } = findCall(open, id);
        return { name, args, facts, outcome, output };
      });
      progress = noteBatch(progress, outcomes);
      const succeeded = new Set(results.filter((one) => one.outcome === 'ok').map((one) => one.id));
      const limit = guard.switches.recovery ? guard.limits.toolErrors : 0;
      return {
        done: open.some((call) => call.terminal && succeeded.has(call.id)),
        pendingSteps: pendingSteps(guard, progress),
        tooManyErrors: progress.toolErrors > limit,
      };
    },
  };
}

function findCall(
  open: readonly CheckedCall[],
  id: string,
): { name: string; args: JsonObject; facts: readonly string[] } {
  const call = open.find((one) => one.id === id);
  if (call !== undefined) return call;
  const known = open.map((one) => one.id).join(', ') || 'none';
  throw new ForgeError(
    'invalid_options',
    `record() got a result for call "${id}", which the last check() did not let through. Open calls: ${known}.`,
  );
}
