import type { ToolCallPart, ToolResultPart } from '@forge/core';

/** A call as it will be sent, and its result once that is known. */
export interface CallSlot {
  readonly call: ToolCallPart;
  result?: ToolResultPart;
}

/**
 * Gives every call an id this API takes and no other call has, and finds the call a result
 * belongs to. Backends that count their calls anew in each reply use the same ids again, so a
 * result goes to the latest turn that has an unanswered call of its id, there to the first.
 */
export class CallPairing {
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, { turn: number; slots: CallSlot[]; next: number }[]>();

  add(call: ToolCallPart, turn: number): CallSlot {
    const slot: CallSlot = { call: { ...call, id: this.#unique(call.id) } };
    const groups = this.#waiting.get(call.id) ?? [];
    const last = groups.at(-1);
    if (last?.turn === turn) last.slots.push(slot);
    else groups.push({ turn, slots: [slot], next: 0 });
    this.#waiting.set(call.id, groups);
    return slot;
  }

  /** The turn whose call this result answers; nothing if no call waits for it. */
  answer(result: ToolResultPart): number | undefined {
    const groups = this.#waiting.get(result.callId);
    const group = groups?.at(-1);
    const slot = group?.slots[group.next];
    if (group === undefined || slot === undefined) return undefined;
    group.next++;
    if (group.next === group.slots.length) groups?.pop();
    slot.result = result;
    return group.turn;
  }

  #unique(id: string): string {
    const allowed = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'toolu';
    let unique = allowed;
    let times = this.#taken.get(allowed) ?? 0;
    while (this.#taken.has(unique)) unique = `${allowed}_${++times + 1}`;
    this.#taken.set(unique, 0);
    this.#taken.set(allowed, times);
    return unique;
  }
}
