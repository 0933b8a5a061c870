import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from './channel.ts';
import type { Control } from './control.ts';
import type { Left } from './job.ts';

/** Rounds in which every process must be one that was seen before; else they multiply. */
const patience = 5;
/** How long the dying may take. */
const sweepMs = 3_000;

/** A command under way. */
export interface Member {
  readonly id: string;
  session?: number;
}

interface Leaving {
  readonly member: Member;
  readonly left: Left;
  /** The process of the loop it ran on. */
  readonly loop: number;
  readonly control: () => Promise<Control>;
}

/**
 * Who is inside: the sandbox's own processes, the loops, the commands under way. It keeps the order
 * between commands: what one leaves running is killed before its result is known, and no other
 * starts while that goes on.
 */
export class Crew {
  readonly #own = new Set<number>();
  readonly #loops = new Map<Channel, number>();
  readonly #members = new Set<Member>();
  readonly #clock: () => number;
  #opening = 0;
  #used = false;
  #gate: Promise<unknown> = Promise.resolve();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Opens a channel for commands, with nothing being swept away meanwhile. */
  async admit(open: () => Promise<Channel>): Promise<Channel> {
    await this.#quiet();
    return this.open(open);
  }

  /** Opens a channel at once: the one that sweeps. */
  async open(open: () => Promise<Channel>): Promise<Channel> {
    this.#opening++;
    try {
      const channel = await open();
      this.#loops.set(channel, channel.pid);
      channel.onClose(() => this.#loops.delete(channel));
      // Before the first command, whoever is there belongs to the sandbox itself.
      if (!this.#used) for (const pid of channel.neighbours) this.#own.add(pid);
      return channel;
    } finally {
      this.#opening--;
    }
  }

  /** Waits until a command may start, and counts it in. */
  async enter(id: string): Promise<Member> {
    await this.#quiet();
    const member = { id };
    this.#used = true;
    this.#members.add(member);
    return member;
  }

  /** Counts out one that never started. */
  cancel(member: Member): void {
    this.#members.delete(member);
  }

  /** The sessions of all commands under way. */
  sessions(): readonly number[] {
    return [...this.#members].flatMap(({ session }) => session ?? []);
  }

  /**
   * Counts a command out and kills what it left. False if something may still hold its channel's
   * streams, which must not be used again then.
   */
  async leave({ member, left, loop, control }: Leaving): Promise<boolean> {
    this.#members.delete(member);
    const loops = new Set(this.#loops.values());
    const known = (pid: number) => this.#own.has(pid) || loops.has(pid);
    if (left !== 'many' && left.every(known)) return true;
    const swept = this.#gate.then(() => this.#sweep({ member, left, loop, control }));
    this.#gate = swept.catch(() => {});
    return swept;
  }

  async #quiet(): Promise<void> {
    for (let gate: unknown; gate !== this.#gate; ) {
      gate = this.#gate;
      await gate;
    }
  }

  async #sweep({ member: { id, session }, loop, control: find }: Leaving): Promise<boolean> {
    const control = await find();
    const until = this.#clock() + sweepMs;
    const seen = new Set<number>();
    for (let round = 0; this.#clock() < until; round++) {
      const alone = this.#members.size === 0 && this.#opening === 0;
      const known = [...this.#own, ...this.#loops.values()];
      const { killed, stray } = await control.sweep(
        alone ? { known } : { known, only: { id, session, loop } },
      );
      if (killed.length === 0) return !stray;
      const grew = killed.some((pid) => !seen.has(pid));
      for (const pid of killed) seen.add(pid);
      if (grew && round >= patience && alone) control.killAll();
      if (round > 0) await delay(Math.min(round, 20));
    }
    return false;
  }
}
