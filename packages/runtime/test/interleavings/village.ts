import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type Message,
  type Model,
  openCalls,
  pairingViolations,
  type RunEvent,
  textOf,
} from '@forge/core';
import type { Store } from '@forge/store';
import type { Runtime } from '../../src/control/runtime.ts';
import type { InterruptedPolicy } from '../../src/session/session-host.ts';
import { chaosAgents } from '../chaos/chaos-agents.ts';
import { replyTo } from '../chaos/chaos-model.ts';
import { checkRun, readLog, unread } from '../chaos/check-run.ts';
import type { Execution } from '../chaos/ledger.ts';
import { type Crash, MortalWorker } from './mortal-worker.ts';

const ttl = 1_000;
const ends: readonly string[] = ['completed', 'failed', 'cancelled'];

/** Something somebody does, and to which of the runs there are. */
export interface Deed {
  readonly what: 'say' | 'yes' | 'no' | 'edit' | 'call back' | 'pause' | 'resume' | 'cancel';
  readonly which: number;
}

export interface Launch {
  readonly turns: readonly (readonly string[])[];
  readonly reusesIds: boolean;
  readonly standing: boolean;
}

export interface Work {
  readonly crash: Crash | undefined;
  /** Done while the worker is at it, when so many points are passed. */
  readonly meanwhile: readonly (Deed & { readonly after: number })[];
}

interface Hook {
  readonly run: string;
  readonly callId: string;
  readonly key: string;
}

/** A few runs, a store, and workers that die; all in one process, so that every order is possible. */
export class Village {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #clock: { now: number };
  readonly #interrupted: InterruptedPolicy;
  readonly #runs: string[] = [];
  /** Those of them that are conversations. */
  readonly #desks: string[] = [];
  readonly #chats: string[] = [];
  readonly #said = new Map<string, string[]>();
  readonly #executions: Execution[] = [];
  readonly #name: string;
  #deeds: Promise<void> = Promise.resolve();

  constructor({
    store,
    runtime,
    clock,
    interrupted,
    name,
  }: {
    readonly store: Store;
    readonly runtime: Runtime;
    readonly clock: { now: number };
    readonly interrupted: InterruptedPolicy;
    readonly name: string;
  }) {
    this.#store = store;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#interrupted = interrupted;
    this.#name = name;
  }

  async launch({ turns, reusesIds, standing }: Launch) {
    const id = `${this.#name}-${this.#runs.length}`;
    const task = JSON.stringify({ name: id, turns, reusesIds });
    await this.#runtime.launch(standing ? 'desk' : 'clerk', task, { id });
    this.#runs.push(id);
    if (standing) this.#desks.push(id);
  }

  async open() {
    const id = `${this.#name}-chat-${this.#chats.length}`;
    await this.#runtime.launch('chat', `${id}:0`, { id });
    this.#chats.push(id);
    this.#said.set(id, [`${id}:0`]);
  }

  async work({ crash, meanwhile }: Work) {
    let points = 0;
    const worker = this.#worker({
      crash,
      onPoint: async () => {
        points += 1;
        for (const deed of meanwhile) if (deed.after === points) await this.do(deed);
      },
    });
    if ((await worker.work(ttl)) === 'died') this.#clock.now += ttl + 1;
    await this.#deeds;
  }

  /** One after the other, also those of a worker that died meanwhile. */
  do(deed: Deed): Promise<void> {
    const done = this.#deeds.then(() => this.#do(deed));
    this.#deeds = done;
    return done;
  }

  async #do({ what, which }: Deed) {
    const pick = <T>(items: readonly T[]) => items[which % Math.max(1, items.length)];
    switch (what) {
      case 'say': {
        const id = pick([...this.#chats, ...this.#desks]);
        if (id === undefined) return;
        const said = this.#said.get(id) ?? [];
        this.#said.set(id, said);
        const message = `${id}:${said.length}`;
        said.push(message);
        assert.equal(await this.#runtime.send(id, message, { source: message }), true);
        assert.equal(await this.#runtime.send(id, message, { source: message }), false);
        return;
      }
      case 'yes':
      case 'no':
      case 'edit': {
        const approval = pick(await this.#pending());
        if (approval === undefined) return;
        await this.#decide(approval.id, what);
        return;
      }
      case 'call back': {
        const call = pick(await this.#hooks());
        if (call !== undefined) await this.#callBack(call);
        return;
      }
      case 'pause':
      case 'resume':
      case 'cancel': {
        const id = pick(this.#runs);
        if (id !== undefined) await this.#runtime[what](id);
        return;
      }
      default:
        what satisfies never;
    }
  }

  /** Whatever still waits is answered; then every run has ended, and all that must hold does. */
  async settle() {
    for (const id of this.#runs) await this.#runtime.resume(id);
    for (let round = 0; ; round += 1) {
      assert.ok(round < 50, 'it comes to rest');
      await this.#worker({}).work(ttl);
      const pending = await this.#pending();
      const hooks = await this.#hooks();
      if (pending.length + hooks.length === 0) break;
      for (const { id } of pending) await this.#decide(id, 'yes');
      for (const hook of hooks) await this.#callBack(hook);
      this.#clock.now += ttl;
    }
    await this.#check();
  }

  async #check() {
    const { items } = await this.#store.runs({}, { limit: 1_000 });
    for (const run of items.filter(({ id }) => id.startsWith(`${this.#name}-`))) {
      const { events, wrong } = await readLog(this.#store, run.id);
      const executions = this.#executions.filter((each) => each.run === run.id);
      assert.deepEqual([...wrong, ...checkRun(run, events, executions)], [], run.id);
      const said = this.#said.get(run.id);
      const isChat = this.#chats.includes(run.id);
      const isDesk = this.#desks.includes(run.id) && run.state === 'open';
      if (isDesk) assert.ok(isDeepStrictEqual(spoken(events), said ?? []), run.id);
      else if (!isChat) assert.ok(ends.includes(run.state), `${run.id} is ${run.state}`);
      else {
        const answers = events.flatMap((event) =>
          event.type === 'reply.answered' ? [event.text] : [],
        );
        assert.equal(answers.join(' '), said?.join(' '), 'each message is answered once');
      }
      assert.deepEqual(await unread(this.#store, run), []);
    }
  }

  async #pending() {
    const { items } = await this.#store.approvals({ state: 'pending' }, { limit: 1_000 });
    return items.filter(({ runId }) => runId.startsWith(`${this.#name}-`));
  }

  async #decide(id: string, how: 'yes' | 'no' | 'edit') {
    const args = how === 'edit' ? { args: { n: 77 } } : {};
    const decision = { id, approved: how !== 'no', by: 'ann', answer: 'fine', ...args };
    await this.#runtime.decide(decision);
    await assert.rejects(this.#runtime.decide({ ...decision, by: 'bob' }), {
      code: 'already_decided',
    });
  }

  /** Twice, as webhooks do. */
  async #callBack({ run, callId, key }: Hook) {
    await this.#runtime.answer(run, callId, { text: 'back', key });
    assert.equal(await this.#runtime.answer(run, callId, { text: 'back', key }), false);
  }

  /** Calls that wait for somebody to call back. */
  async #hooks() {
    const found: Hook[] = [];
    for (const run of this.#runs) {
      const { state } = await this.#runtime.view(run);
      for (const { call, status, turn } of openCalls(state)) {
        const isOpen = call.name === 'hook' && status === 'running';
        if (isOpen) found.push({ run, callId: call.id, key: `${run}:${turn}:${call.id}` });
      }
    }
    return found;
  }

  #worker(options: { crash?: Crash | undefined; onPoint?: () => Promise<void> }): MortalWorker {
    const now = () => this.#clock.now;
    const agents = chaosAgents({
      write: (execution) => {
        if (!worker.isAlive) throw new Error('The dead do nothing.');
        this.#executions.push(execution);
      },
    });
    const interrupted = this.#interrupted;
    const worker = new MortalWorker(this.#store, { agents, model, now, interrupted, ...options });
    return worker;
  }
}

/** What was said to a run beside its task, as its log has it. */
function spoken(events: readonly RunEvent[]): readonly string[] {
  const taken = events.flatMap((event) => {
    if (event.type === 'run.started') return event.input.slice(1);
    return event.type === 'input.received' ? event.messages : [];
  });
  return taken.map((message) => textOf(message));
}

/** What it is asked with must be valid for every provider, at every request. */
const model: Model = {
  id: 'strict',
  complete: async ({ messages }) => {
    for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
      assert.deepEqual(violations(provider, messages), [], provider);
    }
    return replyTo(messages);
  },
};

/** Ids that a model uses again are its own doing; clients of such providers rename them. */
function violations(provider: 'openai' | 'anthropic' | 'gemini', messages: readonly Message[]) {
  return pairingViolations(provider, messages).filter((said) => !said.endsWith('is used twice'));
}
