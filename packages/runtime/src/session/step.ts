import {
  evolve,
  type Happening,
  type Redactor,
  type RunEvent,
  type RunState,
  redactHappening,
} from '@forge/core';
import type {
  Append,
  NewApproval,
  NewMessage,
  NewRun,
  RunState as StoredState,
} from '@forge/store';

/**
 * What is to be written next, and the state as if it were. Nothing of it has happened until it is
 * appended; nothing is done in the world before that.
 */
export class Step {
  readonly happenings: Happening[] = [];
  readonly consumes: number[] = [];
  readonly approvals: NewApproval[] = [];
  readonly withdraws: string[] = [];
  readonly children: NewRun[] = [];
  readonly sends: (NewMessage & { readonly runId: string })[] = [];
  readonly timers: Record<string, number | null> = {};
  readonly at: number;
  readonly #runId: string;
  readonly #before: RunState;
  readonly #redactor: Redactor | undefined;
  #state: RunState;

  constructor({
    runId,
    state,
    at,
    redactor,
  }: {
    readonly runId: string;
    readonly state: RunState;
    readonly at: number;
    /** Of the store this is for: what is decided on is what the log will say. */
    readonly redactor: Redactor | undefined;
  }) {
    this.#runId = runId;
    this.#redactor = redactor;
    this.#state = state;
    this.#before = state;
    // A clock that was set back must not make the log run backwards.
    this.at = Math.max(at, state.lastAt);
  }

  get state(): RunState {
    return this.#state;
  }

  get isEmpty(): boolean {
    return this.happenings.length === 0 && this.consumes.length === 0;
  }

  add(...happenings: readonly Happening[]) {
    for (const said of happenings) {
      const happening = this.#redactor ? redactHappening(this.#redactor, said) : said;
      const stamp = { v: 1 as const, runId: this.#runId, seq: this.#state.seq + 1, at: this.at };
      const event: RunEvent = { ...stamp, ...happening };
      this.#state = evolve(this.#state, event);
      this.happenings.push(happening);
    }
  }

  /**
   * Not said without need: to say it counts as progress, and costs the store more. A message that is
   * read may have opened the run again.
   */
  #saysState(state: StoredState): boolean {
    const isOver = this.#state.phase.name === 'finished';
    return isOver || this.consumes.length > 0 || state !== storedState(this.#before);
  }

  /** What is only noted after the end does not move it. */
  #earlierEnd(): Pick<Append, 'endedAt'> {
    const { endedAt, phase } = this.#before;
    const isSame = phase.name === 'finished' && this.#state.endedAt === endedAt;
    return isSame && endedAt !== undefined ? { endedAt } : {};
  }

  /** With `keepsOpen` its run may be worked on, though it ends with this. */
  toAppend(fence: number, { keepsOpen = false } = {}): Append {
    const state = keepsOpen ? 'open' : storedState(this.#state);
    const { happenings, at, consumes, approvals, withdraws, children, sends, timers } = this;
    return {
      runId: this.#runId,
      fence,
      expectedSeq: this.#before.seq,
      happenings,
      at,
      consumes,
      approvals,
      withdraws,
      children,
      sends,
      timers,
      ...(this.#saysState(state) && { state }),
      ...this.#earlierEnd(),
    };
  }
}

function storedState({ phase, paused }: RunState): StoredState {
  if (phase.name === 'finished') return phase.status;
  return paused ? 'paused' : 'open';
}
