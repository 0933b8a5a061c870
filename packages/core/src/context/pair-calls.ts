import type { ToolCallPart, ToolResultPart } from '../messages/message.ts';
import type { ContextEntry } from './entry.ts';

/** A call and, once it came, its one result. */
export interface CallSlot {
  readonly call: ToolCallPart;
  /** Position in the window of the message that made the call. */
  readonly caller: number;
  answer?: { readonly part: ToolResultPart; readonly at: number };
}

export interface Pairing {
  /** By position in the window: the calls of that message, in order. */
  readonly calls: ReadonlyMap<number, readonly CallSlot[]>;
  /** By position in the window: who made the calls that this message answers. */
  readonly callers: ReadonlyMap<number, readonly number[]>;
}

/**
 * Which result answers which call. A result may come long after its call, with other messages
 * between. Some backends use the same ids again in every reply, so an id alone does not decide:
 * a result belongs to an unanswered call of its own turn, else to the latest unanswered one. A
 * result before its call, without a call, or after another result for it, pairs with nothing.
 * Linear in the window.
 */
export function pairCalls(window: readonly ContextEntry[]): Pairing {
  const calls = new Map<number, CallSlot[]>();
  const callers = new Map<number, number[]>();
  const ofTurn = new WaitingCalls();
  const ofAny = new WaitingCalls();

  window.forEach(({ turn, message }, at) => {
    if (message.role === 'assistant') {
      for (const part of message.content) {
        if (part.type !== 'tool_call') continue;
        const slot: CallSlot = { call: part, caller: at };
        pushTo(calls, at, slot);
        ofTurn.add(`${turn} ${part.id}`, slot);
        ofAny.add(part.id, slot);
      }
    } else if (message.role === 'tool') {
      for (const part of message.content) {
        const slot = ofTurn.latest(`${turn} ${part.callId}`) ?? ofAny.latest(part.callId);
        if (slot === undefined) continue;
        slot.answer = { part, at };
        pushTo(callers, at, slot.caller);
      }
    }
  });
  return { calls, callers };
}

/** Unanswered calls by a key. Answered ones are passed over once and never looked at again. */
class WaitingCalls {
  readonly #replies = new Map<string, { caller: number; slots: CallSlot[]; next: number }[]>();

  add(key: string, slot: CallSlot): void {
    const { caller } = slot;
    const last = this.#replies.get(key)?.at(-1);
    if (last?.caller === caller) last.slots.push(slot);
    else pushTo(this.#replies, key, { caller, slots: [slot], next: 0 });
  }

  /** Of the latest reply that has one; the first if the reply used the id more than once. */
  latest(key: string): CallSlot | undefined {
    const replies = this.#replies.get(key);
    for (let reply = replies?.at(-1); reply !== undefined; reply = replies?.at(-1)) {
      while (reply.slots[reply.next]?.answer !== undefined) reply.next++;
      const slot = reply.slots[reply.next];
      if (slot !== undefined) return slot;
      replies?.pop();
    }
    return undefined;
  }
}

function pushTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
