import { createRescueStream, type Guard, mayRescue } from '@forge/core';
import {
  type Frame,
  ReplyAssembler,
  type StreamEvent,
  type Wire,
  type WireReply,
} from '@forge/models';

/** A frame of the backend with what it says. */
export interface HeldItem {
  /** Undefined for what only the end of the stream said. */
  readonly frame: Frame | undefined;
  readonly events: readonly StreamEvent[];
  /** Characters of text up to its end. */
  readonly textEnd: number;
  /** What of the text up to its end is content, as rescue sees it. */
  readonly content: string;
}

/**
 * The reply as it streams in: tells which frames may go out already. Text may, as soon as it can
 * no longer be part of a call; from a call on, everything waits until the whole reply is judged.
 * Frames go out whole and in order.
 */
export class HeldStream {
  readonly #assembler: ReplyAssembler;
  readonly #rescue: ReturnType<typeof createRescueStream> | undefined;
  readonly #holdsAll: boolean;
  #items: HeldItem[] = [];
  /** Of the items, as many may go out. */
  #free = 0;
  /** Of those, so many at the front were looked at already, and say nothing by themselves. */
  #silent = 0;
  #isBlocked = false;
  #textCame = 0;
  #textHeld = 0;
  #content = '';

  constructor({
    wire,
    guard,
    holdsAll,
  }: { wire: Wire; guard: Guard | undefined; holdsAll: boolean }) {
    this.#assembler = new ReplyAssembler(wire.name);
    this.#holdsAll = holdsAll;
    this.#rescue =
      guard !== undefined && mayRescue(guard) ? createRescueStream(guard.specs) : undefined;
  }

  /** Nothing waits. */
  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Takes what a frame says, but for an error. True when the reply is complete. */
  push(frame: Frame | undefined, events: readonly StreamEvent[]): boolean {
    let isComplete = false;
    for (const event of events) {
      this.#assembler.push(event);
      switch (event.type) {
        case 'text':
          this.#watch(event.text);
          break;
        case 'call':
        case 'args':
          this.#isBlocked = true;
          break;
        case 'finish':
          this.#isBlocked = true;
          isComplete = true;
          break;
      }
    }
    this.#items.push({ frame, events, textEnd: this.#textCame, content: this.#content });
    if (!this.#isBlocked && !this.#holdsAll) this.#free = this.#items.length;
    return isComplete;
  }

  /** What may go out now. Costs what it gives, however much is held. */
  release(): readonly HeldItem[] {
    const decided = this.#textCame - this.#textHeld;
    let said = 0;
    while (this.#silent < this.#free) {
      const item = this.#items[this.#silent];
      if (item === undefined || item.textEnd > decided) break;
      this.#silent += 1;
      // A frame that says nothing by itself (the start of a block) goes with what it belongs to.
      if (item.events.length > 0) said = this.#silent;
    }
    return said === 0 ? nothing : this.#remove(said);
  }

  releaseAll(): readonly HeldItem[] {
    return this.#remove(this.#items.length);
  }

  reply(): WireReply {
    return this.#assembler.reply();
  }

  #remove(count: number): HeldItem[] {
    if (count === this.#items.length) {
      const all = this.#items;
      this.#items = [];
      this.#free = 0;
      this.#silent = 0;
      return all;
    }
    this.#silent = Math.max(0, this.#silent - count);
    this.#free = Math.max(0, this.#free - count);
    return this.#items.splice(0, count);
  }

  #watch(text: string) {
    this.#textCame += text.length;
    if (this.#rescue === undefined) return;
    const { content, held } = this.#rescue.push(text);
    this.#content += content;
    this.#textHeld = held;
  }
}

const nothing: readonly HeldItem[] = [];
