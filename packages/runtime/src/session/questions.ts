import {
  ForgeError,
  type Happening,
  holdsRedacted,
  type JsonObject,
  openCall,
  type PersonAnswer,
  type PersonRequest,
} from '@forge/core';
import type { RunRow } from '@forge/store';
import { toolQuestion } from '../human/tool-question.ts';
import { questionId } from './names.ts';
import { newApproval } from './new-approval.ts';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';

/** The call whose tool asks. */
interface Asker {
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject;
}

interface Waiting {
  readonly asker: Asker;
  readonly request: PersonRequest;
  readonly reply: PromiseWithResolvers<PersonAnswer>;
  /** Set when it is part of a step. */
  asked?: { readonly seq: number; readonly id: string };
}

/**
 * What the tools of a session ask people. A question is written with the next step and put to people
 * by it; what they say comes through the inbox, and reaches the tool once the step that says so is
 * written. A crash in between leaves a call that was interrupted, like any other.
 */
export class Questions {
  readonly #onNews: () => void;
  readonly #waiting = new Set<Waiting>();

  constructor(onNews: () => void) {
    this.#onNews = onNews;
  }

  /** Something is to be written: a new question, or the end of one nobody waits for. */
  get haveNews(): boolean {
    for (const { asked, request } of this.#waiting) {
      if (asked === undefined || request.signal.aborted) return true;
    }
    return false;
  }

  /** Rejects with the reason of the signal of the request. */
  async ask(asker: Asker, request: PersonRequest): Promise<PersonAnswer> {
    const { signal } = request;
    signal.throwIfAborted();
    const reply = Promise.withResolvers<PersonAnswer>();
    const onAbort = () => {
      reply.reject(signal.reason);
      this.#onNews();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add({ asker, request, reply });
    this.#onNews();
    try {
      return await reply.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Puts into the step what is new. */
  write(intent: { readonly host: SessionHost; readonly run: RunRow; readonly step: Step }): void {
    for (const waiting of this.#waiting) {
      const { asked, asker, request } = waiting;
      const { callId } = asker;
      if (request.signal.aborted) {
        this.#waiting.delete(waiting);
        if (asked === undefined) continue;
        const closed = { type: 'question.closed', callId, asked: asked.seq } as const;
        intent.step.add({ ...closed, outcome: 'withdrawn' });
        intent.step.withdraws.push(asked.id);
      } else if (asked === undefined && !putToPeople(intent, waiting)) {
        this.#waiting.delete(waiting);
        waiting.reply.reject(new ForgeError('cancelled', 'The call has its result already.'));
      }
    }
  }

  /** Gives the tools what people said, by what has been written. */
  settle(happenings: readonly Happening[]): void {
    if (this.#waiting.size === 0) return;
    for (const happening of happenings) {
      if (happening.type !== 'question.closed') continue;
      const waiting = [...this.#waiting].find(({ asked }) => asked?.seq === happening.asked);
      if (waiting === undefined) continue;
      this.#waiting.delete(waiting);
      if (!holdsRedacted(happening.answer)) waiting.reply.resolve(answerOf(happening));
      else waiting.reply.reject(notMeant());
    }
  }

  /** The run has ended, and with it what was asked. */
  forget(): void {
    this.#waiting.clear();
  }
}

/** False if the call has ended without its tool. */
function putToPeople(
  { host, run, step }: { readonly host: SessionHost; readonly run: RunRow; readonly step: Step },
  waiting: Waiting,
): boolean {
  const { asker, request } = waiting;
  const { callId, name } = asker;
  const open = openCall(step.state, callId);
  if (open?.status !== 'running') return false;
  const { signal, ...question } = request;
  step.add({ type: 'question.asked', callId, name, ...question });
  const { seq } = step.state;
  const id = questionId(run.id, open, seq);
  const asked = { ...asker, question: toolQuestion(request) };
  step.approvals.push({ ...newApproval({ host, run, step }, asked), id });
  waiting.asked = { seq, id };
  return true;
}

function answerOf({
  outcome,
  answer,
  reason,
}: Extract<Happening, { type: 'question.closed' }>): PersonAnswer {
  switch (outcome) {
    case 'accepted':
      return { action: 'accept', ...(answer !== undefined && { content: answer }) };
    case 'declined':
      return { action: 'decline', ...(reason !== undefined && { reason }) };
    case 'expired':
    case 'withdrawn':
      return { action: 'cancel' };
    default:
      return outcome satisfies never;
  }
}

/** The store keeps no secrets, so the answer is not what the person said; another may do harm. */
function notMeant(): ForgeError {
  return new ForgeError(
    'not_allowed',
    'The answer of the person held a secret, and secrets are not kept. Do not ask for secrets.',
  );
}
