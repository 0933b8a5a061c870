import {
  freshProgress,
  type Guard,
  type JsonObject,
  judgeReply,
  noteAccepted,
  noteRefusal,
  type Progress,
  text,
  textOf,
  toneOf,
  userMessage,
  type Verdict,
} from '@forge/core';
import { ModelError, type WireReply } from '@forge/models';
import type { Ask, RefusedReply } from '../ladder/ask.ts';
import type { Attempt, Outcome, ProblemName } from '../proxy-event.ts';
import { mendedKind } from '../stats/mended-kind.ts';
import type { FormatCheck } from '../structured/check-structured.ts';
import { BestReply } from './best-reply.ts';
import { callsOf, keepFirstCall, sameCallIds, withContent } from './edit-reply.ts';
import { isCutAnswer } from './is-cut-answer.ts';
import { answerInstead } from './respond-tool.ts';
import type { Rules } from './rules.ts';

/** What a reply comes to: it goes to the client, or another is asked for. */
export type Ruling = Taken | { readonly kind: 'again'; readonly ask: Ask };

export interface Taken {
  readonly kind: 'take';
  readonly reply: WireReply;
  /** False: as it came, to the byte. */
  readonly changed: boolean;
  readonly outcome: Outcome;
  /** With `exhausted`: what was wrong with the last one. */
  readonly reason?: string;
}

export interface TurnOptions {
  readonly rules: Rules;
  /** What was established before this request. */
  readonly progress: () => Progress;
  /** Whether these calls may repeat what was done before; true if that cannot be told cheaply. */
  readonly mayRepeat: (
    calls: readonly { readonly name: string; readonly args: JsonObject }[],
  ) => boolean;
  /** How the first reply is asked for. */
  readonly first: Pick<Ask, 'rung' | 'read'>;
  /** What to ask after these refusals. */
  readonly climb: (
    refusals: readonly RefusedReply[],
    /** False once the backend has refused to hold a reply to a shape. */
    options: { readonly shapes: boolean },
  ) => Ask;
  readonly maxRetries: number;
  readonly checkFormat: FormatCheck;
  readonly newId: () => string;
  readonly onBug: (error: unknown) => void;
}

/**
 * One guarded turn: judges the replies to one request until one may go out. Does no I/O; the
 * caller asks the backend and sends what is taken.
 */
export class Turn {
  readonly attempts: Attempt[] = [];
  readonly #options: TurnOptions;
  readonly #refusals: RefusedReply[] = [];
  readonly #best = new BestReply();
  #ask: Pick<Ask, 'rung' | 'read'>;
  #progress: Progress | undefined;
  #id: string | undefined;
  #refusesShapes = false;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#ask = options.first;
  }

  /** What the next request of the session should know; undefined where nothing had to be looked up. */
  get learned(): Progress | undefined {
    return this.#progress;
  }

  /** What was established so far. */
  get progress(): Progress {
    this.#progress ??= this.#options.progress();
    return this.#progress;
  }

  judge(came: WireReply): Ruling {
    const { rules, newId } = this.#options;
    const read = this.#ask.read(came);
    const reply = rules.oneCall ? keepFirstCall(read) : read;
    if (rules.guard === undefined) return this.#answer(came, reply);
    this.#id ??= newId();
    const idPrefix = `${this.#id}_${this.attempts.length}`;
    const verdict =
      this.#glance(rules.guard, reply, idPrefix) ??
      judgeReply(rules.guard, this.progress, reply, idPrefix);
    switch (verdict.kind) {
      case 'execute':
        return this.#execute(came, reply, verdict);
      case 'answer':
        return this.#answer(came, reply);
      case 'retry':
      case 'blocked': {
        const { problems, drain, message, nudges, tone } = verdict;
        if (isCutAnswer(rules.guard, problems, reply)) return this.#take(came, reply);
        this.#progress = noteRefusal(this.progress, drain);
        this.#best.offer(reply, problems);
        const names = problems.map(({ kind }) => kind);
        return this.#refuse(reply, names, { message, nudges, tone });
      }
      case 'fatal': {
        const { problems, reason } = verdict;
        // The provider withheld it, or a plain answer was cut: that is the client's to know.
        if (reason === 'content_filter' || isCutAnswer(rules.guard, problems, reply)) {
          return this.#take(came, reply);
        }
        this.#best.offer(reply, problems);
        const names = problems.map(({ kind }) => kind);
        this.#note(reply, { problems: names });
        return this.giveUp(names[0] ?? reason);
      }
      default:
        return verdict satisfies never;
    }
  }

  /** What the reply comes to where the past has no say in it; undefined where it may have. */
  #glance(guard: Guard, reply: WireReply, idPrefix: string): Verdict | undefined {
    const { rememberedTools, terminalTools } = guard;
    if (this.#progress !== undefined || rememberedTools.size + terminalTools.length > 0) {
      return undefined;
    }
    const verdict = judgeReply(guard, freshProgress, reply, idPrefix);
    if (verdict.kind === 'answer') return verdict;
    if (verdict.kind !== 'execute' || this.#options.mayRepeat(verdict.calls)) return undefined;
    return verdict;
  }

  /**
   * The backend did not take what was asked last. One that refuses shapes is asked again without;
   * from any other the best reply so far is all there will be.
   */
  failed(error: ModelError): Ruling {
    if (this.#ask.rung !== 'constrained' || error.kind !== 'bad_request') {
      return this.giveUp(`backend: ${error.kind}`);
    }
    this.#refusesShapes = true;
    return this.#climb();
  }

  /** No more replies are to be had: the best one so far goes out. */
  giveUp(reason: string): Taken {
    const { reply } = this.#best;
    if (reply === undefined) throw new Error('A turn cannot give up before its first reply.');
    return { kind: 'take', reply, changed: true, outcome: 'exhausted', reason };
  }

  /** Something was mended on the way out, after the last reply was taken. */
  mended(what: string) {
    const last = this.attempts.pop();
    if (last !== undefined) {
      this.attempts.push({ ...last, mended: [...last.mended, mendedKind(what) ?? what] });
    }
  }

  #execute(
    came: WireReply,
    reply: WireReply,
    verdict: Extract<Verdict, { kind: 'execute' }>,
  ): Ruling {
    const { rules } = this.#options;
    const { source, format } = verdict;
    const mended = verdict.mended.map(({ what }) => what);
    const executed = { ...reply, content: verdict.message.content };
    const { content } = rules.oneCall ? keepFirstCall(executed) : executed;
    const wasCut = callsOf(came.content).length > callsOf(reply.content).length;
    if (wasCut || content.length < executed.content.length) mended.push('further_calls_left_out');
    const answered = rules.respondTool ? answerInstead(content) : undefined;
    if (answered !== undefined && callsOf(answered).length === 0) {
      return this.#answer(came, withContent(reply, answered, 'stop'));
    }
    const isAsItCame =
      source === 'native' &&
      mended.length === 0 &&
      answered === undefined &&
      sameCallIds(came.content, content);
    const taken = isAsItCame ? reply : withContent(reply, answered ?? content, 'tool_calls');
    return this.#take(came, taken, { mended, format, isRescued: source === 'rescued' });
  }

  /** A reply without calls: right, unless the request asked for a shape it does not have. */
  #answer(came: WireReply, reply: WireReply): Ruling {
    const { rules, checkFormat } = this.#options;
    const { format } = rules;
    // What was cut or withheld cannot have the shape, and asking again would not help.
    const isWhole = reply.finish !== 'length' && reply.finish !== 'content_filter';
    if (format === undefined || !isWhole || callsOf(reply.content).length > 0) {
      return this.#take(came, reply);
    }
    const checked = checkFormat(format, textOf(reply));
    if (!checked.ok) {
      this.#best.offer(reply, []);
      const message = { role: 'assistant' as const, content: [...reply.content] };
      const nudges = [userMessage(checked.nudge)];
      const tone = toneOf(this.#refusals.length);
      return this.#refuse(reply, ['bad_format'], { message, nudges, tone });
    }
    const { mended } = checked;
    if (mended.length === 0) return this.#take(came, reply);
    const others = reply.content.filter((part) => part.type !== 'text');
    const fixed = withContent(reply, [...others, text(checked.text)], reply.finish);
    return this.#take(came, fixed, { mended });
  }

  #refuse(reply: WireReply, problems: readonly ProblemName[], refusal: RefusedReply): Ruling {
    this.#note(reply, { problems, tone: refusal.tone });
    const { rules, maxRetries } = this.#options;
    const { toolErrors = Number.POSITIVE_INFINITY } = rules.guard?.limits ?? {};
    if (this.#refusals.length >= maxRetries || this.progress.toolErrors > toolErrors) {
      return this.giveUp(problems[0] ?? 'unusable');
    }
    this.#refusals.push(refusal);
    return this.#climb();
  }

  #climb(): Ruling {
    const shapes = !this.#refusesShapes;
    try {
      const ask = this.#options.climb(this.#refusals, { shapes });
      this.#ask = ask;
      return { kind: 'again', ask };
    } catch (error) {
      // What is nested too deep to be written again, or cannot be read, is no fault of ours.
      if (!(error instanceof RangeError || error instanceof ModelError)) this.#options.onBug(error);
      return this.giveUp('not_askable');
    }
  }

  #take(
    came: WireReply,
    reply: WireReply,
    how: {
      readonly mended?: readonly string[];
      readonly format?: string | undefined;
      readonly isRescued?: boolean;
    } = {},
  ): Taken {
    const { mended = [], format, isRescued = false } = how;
    const changed = reply !== came;
    this.#note(reply, { problems: [], mended, ...(format !== undefined && { format }) });
    if (this.#progress !== undefined) this.#progress = noteAccepted(this.#progress);
    const outcome =
      this.#refusals.length > 0
        ? 'retried'
        : isRescued
          ? 'rescued'
          : changed
            ? 'repaired'
            : 'clean';
    return { kind: 'take', reply, changed, outcome };
  }

  #note(reply: WireReply, attempt: Pick<Attempt, 'problems'> & Partial<Attempt>) {
    const { usage } = reply;
    const { rung } = this.#ask;
    const { mended = [] } = attempt;
    this.attempts.push({
      rung,
      ...(usage !== undefined && { usage }),
      ...attempt,
      // In words they may quote what the model said, which no event does.
      mended: mended.length === 0 ? mended : mended.flatMap((what) => mendedKind(what) ?? []),
    });
  }
}
