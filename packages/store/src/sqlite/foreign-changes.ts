import type { Database } from './database.ts';

const mostNamed = 1_000;
const interval = 50;

export interface ForeignOptions {
  readonly now: () => number;
  /** Somebody else committed something. */
  readonly onChange: () => void;
  /** Runs may be due, or have messages: these, or any. */
  readonly onWake: (runIds: readonly string[] | undefined) => void;
}

/**
 * Notices what other processes commit. SQLite tells nobody, but says for a few microseconds whether
 * the file has changed since it was last asked; so it is asked often, and only while someone listens.
 */
export class ForeignChanges {
  readonly #writer: Database;
  readonly #reader: Database;
  readonly #options: ForeignOptions;
  #timer: NodeJS.Timeout | undefined;
  #users = 0;
  #version: number | undefined;
  #lastMessage = 0;
  #nextSchedule: number | undefined;

  constructor(
    connections: { readonly writer: Database; readonly reader: Database },
    options: ForeignOptions,
  ) {
    this.#writer = connections.writer;
    this.#reader = connections.reader;
    this.#options = options;
  }

  /** Watches until the returned function is called. */
  watch(): () => void {
    this.#users += 1;
    if (this.#users === 1) {
      this.#version = this.#readVersion();
      this.#lastMessage = this.#readLastMessage();
      this.#nextSchedule = this.#readNextSchedule();
      this.#timer = setInterval(() => this.look(), interval).unref();
    }
    let watching = true;
    return () => {
      if (!watching) return;
      watching = false;
      this.#users -= 1;
      if (this.#users === 0) this.stop();
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Looks now; the timer calls it. */
  look(): void {
    let woken: readonly string[] | undefined;
    let isTimetableNew = true;
    try {
      const version = this.#readVersion();
      if (version === this.#version) return;
      this.#version = version;
      woken = this.#readWoken();
      const next = this.#readNextSchedule();
      isTimetableNew = next !== this.#nextSchedule;
      this.#nextSchedule = next;
    } catch {
      woken = undefined; // Busy: whoever looks itself finds what there is.
    }
    this.#options.onChange();
    if (woken === undefined || woken.length > 0) this.#options.onWake(woken);
    if (woken !== undefined && isTimetableNew) this.#options.onWake(undefined);
  }

  /** Changes with the commits of other connections than this one. */
  #readVersion(): number | undefined {
    return this.#writer.get<{ data_version: number }>('pragma data_version')?.data_version;
  }

  #readLastMessage(): number {
    return this.#reader.get<{ id: number | null }>('select max(id) as id from inbox')?.id ?? 0;
  }

  /** When the first schedule is due. */
  #readNextSchedule(): number | undefined {
    return this.#reader.get<{ at: number }>(
      `select next_at as at from schedules where state = 'active' and next_at is not null
        order by next_at limit 1`,
    )?.at;
  }

  /** Runs that got messages; undefined if there are others that are due, or too many to name. */
  #readWoken(): readonly string[] | undefined {
    const rows = this.#reader.all<{ id: number; run_id: string; wakes: number }>(
      'select id, run_id, wakes from inbox where id > ? order by id limit ?',
      this.#lastMessage,
      mostNamed,
    );
    this.#lastMessage =
      rows.length < mostNamed ? (rows.at(-1)?.id ?? this.#lastMessage) : this.#readLastMessage();
    const due = this.#reader.get(
      `select 1 from runs where state = 'open' and due_at is not null and due_at <= ? limit 1`,
      Math.trunc(this.#options.now()),
    );
    if (rows.length === mostNamed) return undefined;
    const named = [...new Set(rows.filter(({ wakes }) => wakes === 1).map(({ run_id }) => run_id))];
    if (due === undefined) return named;
    // Those with messages may be leased here, and are told by name; the rest is found by a claim.
    if (named.length > 0) this.#options.onWake(named);
    return undefined;
  }
}
