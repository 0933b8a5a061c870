import { setTimeout as sleep } from 'node:timers/promises';
import { writeNotice } from './notice.ts';
import type { Connections } from './pool.ts';

export const channel = 'forge';

/**
 * Tells other processes what was committed. It is said after the commit and not in it: a transaction
 * that notifies holds a lock of the whole database until it is on disk, and commits could not share
 * a flush. A notice that is lost is made up for by the slow look of those who listen.
 *
 * One notice is on its way at a time, and a moment lies between two: what comes meanwhile is said
 * together in the next.
 */
export class Announcer {
  readonly #connections: Connections;
  readonly #from: string;
  readonly #closing: AbortSignal;
  #appended = false;
  #woken: Set<string> | undefined = new Set();
  #speaking: Promise<void> | undefined;

  constructor({
    connections,
    from,
    closing,
  }: {
    readonly connections: Connections;
    readonly from: string;
    /** Then nothing more is waited for. */
    readonly closing: AbortSignal;
  }) {
    this.#connections = connections;
    this.#from = from;
    this.#closing = closing;
  }

  appended(): void {
    this.#appended = true;
    this.#speak();
  }

  /** Undefined: any run, or a schedule. */
  woken(runIds: readonly string[] | undefined): void {
    for (const runId of runIds ?? []) this.#woken?.add(runId);
    if (runIds === undefined) this.#woken = undefined;
    if (this.#woken !== undefined && this.#woken.size > mostNamed) this.#woken = undefined;
    this.#speak();
  }

  /** When all is said. */
  async settled(): Promise<void> {
    while (this.#speaking !== undefined) await this.#speaking;
  }

  #speak(): void {
    this.#speaking ??= this.#sayAll();
  }

  async #sayAll(): Promise<void> {
    while (this.#appended || this.#woken === undefined || this.#woken.size > 0) {
      const woken = this.#woken && [...this.#woken];
      const notice = writeNotice({ from: this.#from, appended: this.#appended, woken });
      this.#appended = false;
      this.#woken = new Set();
      const say = { name: 'forge_notify', text: statement, values: [channel, notice] };
      await this.#connections.use(({ client }) => client.query(say)).catch(() => {});
      await sleep(pause, undefined, { signal: this.#closing }).catch(() => {});
    }
    // In the same breath as the last look: what comes after it starts anew.
    this.#speaking = undefined;
  }
}

/** Nobody waits for the disk because of a notice: what it is about is there already. */
const statement = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;
/** Milliseconds. Each notice costs the server as much as a small write. */
const pause = 10;
/** More would not fit into a notice, whatever their names are. */
const mostNamed = 1_000;
