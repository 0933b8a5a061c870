import { setTimeout as pause } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import type { ApprovalRow, Store, StoredEvent } from '@forge/store';
import type { Seeded } from '@forge/store/testing';
import type { Runtime } from '../../src/control/runtime.ts';
import { makeTask } from './task.ts';

/** How often somebody successfully decided on an approval. */
export type Decisions = ReadonlyMap<string, number>;

const chats = ['chat-1', 'chat-2', 'chat-3'];

/**
 * The people around the runs: they launch, say things (sometimes twice), decide on approvals (two of
 * them at once), and cancel now and then. They hear of everything through the change feed, and keep
 * what was acknowledged to them.
 */
export class Town {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #rng: Seeded;
  readonly #open = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #heard = new Set<string>();
  readonly #changed = new Set<() => void>();
  #isFeeding: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  /** Ids of the runs whose launch was acknowledged. */
  readonly launched: string[] = [];
  readonly cancelled = new Set<string>();
  /** Messages that were accepted, by conversation. */
  readonly said = new Map<string, string[]>(chats.map((id) => [id, []]));
  readonly decisions = new Map<string, number>();
  /** The feed as it came: run and number of each event. */
  readonly feed: { readonly run: string; readonly seq: number }[] = [];
  /** What should not have happened. */
  readonly wrong: string[] = [];

  constructor({ store, runtime, rng }: { store: Store; runtime: Runtime; rng: Seeded }) {
    this.#store = store;
    this.#runtime = runtime;
    this.#rng = rng;
  }

  async begin() {
    this.#isFeeding = this.#follow();
    this.#isFeeding.catch((error: unknown) => this.#fail(error));
    for (const id of chats) {
      await this.#insist(() => this.#runtime.launch('chat', `${id}:hello`, { id }), 'run_exists');
      this.said.get(id)?.push(`${id}:hello`);
    }
  }

  /** There is always something to do. */
  async keepBusy(runs: number) {
    if (this.#failure) throw this.#failure.error;
    while (this.#open.size < runs) {
      const id = `run-${this.launched.length + 1}`;
      const task = makeTask(id, this.launched.length);
      const cancels = this.#rng.chance(6);
      const after = this.#rng.below(300);
      this.#open.add(id);
      await this.#insist(
        () => this.#runtime.launch('clerk', JSON.stringify(task), { id }),
        'run_exists',
      );
      this.launched.push(id);
      if (cancels) this.#do(() => this.#cancel(id, after));
    }
    if (this.#rng.chance(50)) await this.#say();
  }

  /** Resolves when every run has ended and every message was answered. */
  async quiet(signal: AbortSignal) {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      await Promise.all(this.#tasks);
      if (this.#open.size === 0 && this.unanswered().length === 0 && this.#tasks.size === 0) return;
      await this.#change(signal);
    }
  }

  unanswered(): readonly string[] {
    return chats.flatMap((id) => {
      return (this.said.get(id) ?? []).filter((message) => !this.#heard.has(message));
    });
  }

  get open(): readonly string[] {
    return [...this.#open];
  }

  async end() {
    this.#stop.abort();
    await this.#isFeeding;
    await Promise.allSettled(this.#tasks);
  }

  async #follow() {
    for await (const stored of this.#store.changes({ signal: this.#stop.signal })) {
      this.feed.push({ run: stored.runId, seq: stored.event.seq });
      this.#hear(stored);
      for (const changed of this.#changed) changed();
    }
  }

  #hear({ runId, event }: StoredEvent) {
    if ('broken' in event) {
      this.wrong.push(`event ${event.seq} of ${runId} is broken: ${event.broken}`);
      return;
    }
    if (event.type === 'run.started') this.#open.add(runId);
    if (event.type === 'run.finished' || chats.includes(runId)) this.#open.delete(runId);
    if (event.type === 'reply.answered')
      for (const word of event.text.split(' ')) this.#heard.add(word);
    if (event.type === 'run.finished' && chats.includes(runId)) {
      this.#fail(new Error(`${runId} ended: ${event.explanation}`));
    }
    const asks =
      event.type === 'approval.requested' ||
      (event.type === 'tool.started' && event.name === 'ask');
    if (asks) {
      const after = this.#rng.chance(40) ? this.#rng.below(300) : 0;
      this.#do(() => this.#decide(runId, after));
    }
  }

  async #say() {
    const id = chats[this.#rng.below(chats.length)] ?? '';
    const said = this.said.get(id) ?? [];
    if (this.unanswered().length > 60) return; // They wait for an answer now and then.
    const message = `${id}:${said.length}`;
    const send = () => this.#runtime.send(id, message, { source: message });
    const twice = this.#rng.chance(30);
    await this.#insist(send);
    said.push(message);
    if (twice && (await this.#insist(send))) this.wrong.push(`${message} was accepted twice`);
  }

  async #cancel(id: string, after: number) {
    await pause(after);
    this.cancelled.add(id);
    await this.#insist(() => this.#runtime.cancel(id, { by: 'the town' }));
  }

  /** Two people click at the same time. */
  async #decide(runId: string, after: number) {
    await pause(after);
    const { items } = await this.#insist(() => this.#store.approvals({ state: 'pending', runId }));
    for (const approval of items) {
      const approved = approval.tool === 'ask' || !approval.callId.endsWith('2');
      const clicks = ['ann', 'bob'].map((by) => this.#click(approval, { approved, by }));
      await Promise.all(clicks);
    }
  }

  async #click({ id }: ApprovalRow, { approved, by }: { approved: boolean; by: string }) {
    const decision = { id, approved, by, answer: 'yes' };
    const rows = await this.#insist(() => this.#runtime.decide(decision), 'already_decided');
    if (rows !== undefined) this.decisions.set(id, (this.decisions.get(id) ?? 0) + 1);
  }

  /** A person tries again when the store is away. `fine` is an answer too. */
  async #insist<T>(attempt: () => Promise<T>): Promise<T>;
  async #insist<T>(
    attempt: () => Promise<T>,
    fine: 'run_exists' | 'already_decided',
  ): Promise<T | undefined>;
  async #insist<T>(attempt: () => Promise<T>, fine?: 'run_exists' | 'already_decided') {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (fine !== undefined && ForgeError.is(error, fine)) return undefined;
        if (!ForgeError.is(error, 'store_failed')) throw error;
        await pause(100);
      }
    }
  }

  #do(task: () => Promise<void>) {
    const running = task().catch((error: unknown) => this.#fail(error));
    this.#tasks.add(running);
    void running.finally(() => {
      this.#tasks.delete(running);
      for (const changed of this.#changed) changed();
    });
  }

  #fail(error: unknown) {
    this.#failure ??= { error };
    for (const changed of this.#changed) changed();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#changed.delete(done);
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#changed.delete(done);
        reject(signal.reason);
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop);
      this.#changed.add(done);
    });
  }
}
