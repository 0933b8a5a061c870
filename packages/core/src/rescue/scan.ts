import type { JsonObject, JsonValue } from '../json.ts';
import { skipSpace } from './chars.ts';
import { type FinishedCall, finishCall, type RawCall } from './finish-call.ts';
import type { Interval } from './intervals.ts';
import type { RejectedCall, RescuedCall } from './rescue-types.ts';
import type { ToolIndex } from './tool-index.ts';
import { ValueParser } from './value-parser.ts';

/** How a call was written: special tokens and line labels are no quotations, the others may be. */
export type Form = 'token' | 'tag' | 'json' | 'python' | 'label';

/** A stretch of text that is not content. */
export interface Removal {
  readonly start: number;
  readonly end: number;
  readonly kind: 'call' | 'marker' | 'reasoning';
}

export interface Fence {
  readonly start: number;
  readonly bodyStart: number;
  bodyEnd: number;
  end: number;
}

export interface FoundCall {
  readonly call: RescuedCall;
  readonly fits: boolean;
  /** Why it cannot be used as it is. */
  readonly problem?: string;
  readonly start: number;
  readonly end: number;
  readonly form: Form;
  readonly fence: Fence | undefined;
}

export interface Where {
  readonly start: number;
  readonly end: number;
  readonly form: Form;
}

/**
 * The state of one walk over a text: what was found so far, and how much of the text was looked
 * at. Readers move over the text and report here; nothing is decided about content until the
 * end.
 */
export class Scan {
  readonly text: string;
  readonly index: ToolIndex;
  readonly parser: ValueParser;
  /** The first character that is not white space. */
  readonly inkStart: number;
  found: FoundCall[] = [];
  rejected: RejectedCall[] = [];
  removals: Removal[] = [];
  /** Text that stands for a removed part: the answer inside a pseudo call. */
  answers: { readonly at: number; readonly text: string }[] = [];
  /** Labels with nothing behind them but, perhaps, a call: not content then. */
  announcements: Interval[] = [];
  reasoning: string[] = [];
  fences: Fence[] = [];
  fence: Fence | undefined;
  partial: { name: string; args: JsonObject } | undefined;
  truncated = false;
  /** A tag of a call stood in a sentence: more text may still make it a call. */
  mentioned = false;
  /** Reasoning was marked off, even if there was none: a wrapper around the answer may follow. */
  reasoned = false;
  /** Reasoning was opened and the text ended in it. */
  unclosedThought = false;
  /** A tool's result was invented: what follows rests on it. */
  invented = false;
  /** Characters looked at, more than once where a reader had to go back. */
  visits = 0;

  constructor(text: string, index: ToolIndex) {
    this.text = text;
    this.index = index;
    this.parser = new ValueParser(text);
    this.inkStart = skipSpace(text, 0);
  }

  /** All characters looked at, also those a value was read over in vain. */
  get work(): number {
    return this.visits + this.parser.rewound;
  }

  /** Whether going back over text is still affordable: keeps the whole walk linear. */
  get mayGoBack(): boolean {
    return this.work < 8 * this.text.length + 4096;
  }

  get exhausted(): boolean {
    return this.work > 40 * this.text.length + 100_000;
  }

  value(at: number): JsonValue | undefined {
    const value = this.parser.read(at);
    this.visits += this.parser.pos - at;
    return value;
  }

  remove(start: number, end: number, kind: Removal['kind']): void {
    if (end > start) this.removals.push({ start, end, kind });
  }

  accept(raw: RawCall, where: Where): void {
    this.add(finishCall(raw), where);
  }

  /**
   * A call the text ended in. With only closers missing, and arguments that satisfy the schema,
   * it is taken as whole; otherwise it is kept as the partial one.
   */
  acceptCut(raw: RawCall, where: Where, onlyClosers: boolean): void {
    const finished = finishCall({ ...raw, repairs: [...raw.repairs, 'missing_closer'] });
    if (onlyClosers && finished.fits && finished.problem === undefined) {
      this.add(finished, where);
      return;
    }
    this.truncated = true;
    this.partial = { name: raw.resolved.tool.name, args: raw.args };
    this.remove(where.start, where.end, 'call');
  }

  reject(name: string, reason: string): void {
    if (this.rejected.length < 100) this.rejected.push({ name, reason });
  }

  private add(finished: FinishedCall, where: Where): void {
    const { call, fits } = finished;
    const problem = this.invented ? 'after an invented result' : finished.problem;
    const extra = problem === undefined ? {} : { problem };
    this.found.push({ call, fits, ...extra, ...where, fence: this.fence });
  }

  /** Some call before this point stands: what follows may rest on a result nobody gave. */
  get hasCall(): boolean {
    return this.found.some(({ problem }) => problem === undefined);
  }

  /** Everything up to `end` was reasoning, calls included. */
  turnIntoReasoning(end: number): void {
    const kept: string[] = [];
    let from = 0;
    for (const removal of [...this.removals].sort((a, b) => a.start - b.start)) {
      if (removal.kind === 'call') continue;
      if (removal.start > from) kept.push(this.text.slice(from, removal.start));
      from = Math.max(from, removal.end);
    }
    if (end > from) kept.push(this.text.slice(from, end));
    const thought = kept.join('').trim();
    if (thought !== '') this.reasoning.push(thought);
    this.found = [];
    this.rejected = [];
    this.answers = [];
    this.announcements = [];
    this.invented = false;
    this.partial = undefined;
    this.removals = [{ start: 0, end, kind: 'reasoning' }];
    this.fences = [];
    this.fence = undefined;
  }
}
