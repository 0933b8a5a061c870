import { ForgeError, messageOf } from '@forge/core';
import { fateOf, identifyProcess } from '@forge/sandbox/owner';
import { explainDisk } from '../deploy-failed.ts';
import { cutLog } from '../files/cut-log.ts';
import { pruneLogs } from '../files/prune-logs.ts';
import { type Opened, ReverseProxy } from '../proxy/reverse-proxy.ts';
import type { Activated, ActivateOrder, BuildOrder, KeeperStatus } from './control-messages.ts';
import { KeeperMemory } from './keeper-memory.ts';
import { keeperFiles, type ReleaseRecord } from './keeper-state.ts';
import { endGroup, killMarked } from './process-group.ts';
import { PublicDoor } from './public-door.ts';
import { ReleaseLife } from './release-life.ts';
import { adoptRelease } from './release-process.ts';
import { runBuild } from './run-build.ts';

const logBytes = 4 * 1024 * 1024;
const logEvery = 1_000;
/** Files of releases that failed, or are not kept any more. */
const otherLogs = 20;

export interface Work {
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/**
 * Looks after the releases of one project on this machine: runs them, gives one of them the
 * traffic, starts that one again when it dies. What it has to do is in its state file before it is
 * done, so that the next keeper can go on after this one was killed.
 */
export class Keeper {
  readonly #folder: string;
  readonly #proxy = new ReverseProxy();
  readonly #lives = new Map<string, ReleaseLife>();
  readonly #closing = new AbortController();
  readonly #door = new PublicDoor(this.#proxy, this.#closing.signal);
  readonly #logTimer: NodeJS.Timeout;
  readonly #memory: KeeperMemory;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
    this.#memory = new KeeperMemory(folder);
    this.#logTimer = setInterval(() => this.#cutLogs(), logEvery);
  }

  /** Nothing is kept: it may go. */
  get idle(): boolean {
    return this.#memory.state.live === undefined && this.#lives.size === 0;
  }

  /** Goes on from what an earlier keeper left: takes over what still runs, starts what should. */
  async restore(): Promise<void> {
    const { live, previous, releases, mark } = this.#memory.state;
    const kept: string[] = [];
    for (const [id, record] of Object.entries(releases)) {
      if (id !== live && id !== previous) {
        // It was being started when the keeper died, and never had the traffic.
        await this.#endLeftover(record);
        this.#drop(id);
        continue;
      }
      const life = this.#life(record);
      const isAlive = record.process !== undefined && fateOf(record.process) === 'alive';
      if (record.spec.runner.type === 'address') life.take(undefined);
      else if (isAlive && record.process !== undefined && record.phase === 'running') {
        life.take(adoptRelease(record.process, this.#closing.signal));
        kept.push(life.mark);
      } else await this.#endLeftover(record);
    }
    killMarked(mark, kept);
    this.#memory.keep({ keeper: identifyProcess(process.pid) });
    const now = live === undefined ? undefined : this.#lives.get(live);
    if (now === undefined) return;
    if (now.isUp) this.#proxy.switchTo({ name: now.id, port: now.port });
    else now.revive('was not running when its keeper was started again');
    await this.#door.openAgain(this.#memory.state, (work) => this.#inTurn(work));
  }

  async build(order: BuildOrder, { signal, tell }: Work): Promise<void> {
    await runBuild({
      order,
      mark: `${this.#memory.state.mark}.build-${order.release}`,
      log: keeperFiles(this.#folder).releaseLog(order.release),
      tell,
      signal: AbortSignal.any([signal, this.#closing.signal]),
    });
  }

  /** One after the other: the next sees what the one before has cleared away. */
  async activate(order: ActivateOrder, work: Work): Promise<Activated> {
    return await this.#inTurn(() => this.#activate(order, work));
  }

  status(): KeeperStatus {
    const { live, previous } = this.#memory.state;
    const record = live === undefined ? undefined : this.#memory.state.releases[live];
    const failure = this.#door.failure ?? record?.failure;
    const { address } = this.#proxy;
    return {
      ...(address !== undefined && { url: urlOf(address.host, address.port) }),
      ...(live !== undefined && { live }),
      ...(previous !== undefined && { previous }),
      ...(record !== undefined && { phase: record.phase }),
      restarts: record?.restarts ?? 0,
      ...(failure !== undefined && { failure }),
    };
  }

  /** Resolves when what was asked before is done. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  /** Ends all releases. Nothing is live after it. */
  async stop(): Promise<void> {
    await this.#inTurn(async () => {
      this.#proxy.down('It was stopped.');
      this.#memory.save({ live: undefined, previous: undefined });
      await Promise.all([...this.#lives.keys()].map((id) => this.#end(id)));
      this.#memory.save({ releases: {} });
    });
  }

  /** Ends its processes and itself; what is live now is live again when the next keeper starts. */
  async close(): Promise<void> {
    this.#closing.abort(new ForgeError('cancelled', 'The keeper ends.'));
    clearInterval(this.#logTimer);
    await this.#turn.catch(() => {});
    await Promise.all([...this.#lives.values()].map((life) => life.end()));
    await this.#proxy.close();
  }

  async #activate(order: ActivateOrder, { signal, tell }: Work): Promise<Activated> {
    const { spec } = order;
    const { id } = spec;
    const over = AbortSignal.any([signal, this.#closing.signal]);
    over.throwIfAborted();
    const known = this.#lives.get(id);
    const isFresh = known === undefined || !known.isUp || !known.listensFor(spec);
    if (isFresh && known !== undefined) await known.end();
    const life = isFresh ? this.#life({ ...newRecord(order), restarts: 0 }) : known;
    let opened: Opened | undefined;
    let report: string;
    try {
      if (isFresh) {
        this.#memory.save(this.#memory.with(life.record));
        await life.start();
        this.#memory.save(this.#memory.with(life.record));
        if (spec.runner.type === 'process') tell(`Started ${id} on port ${life.port}.`);
      }
      report = await life.becomesHealthy(over);
      tell(report);
      opened = await this.#door.open(order, this.#memory.state);
      over.throwIfAborted();
    } catch (error) {
      await opened?.undo();
      if (isFresh) await this.#giveUp(life);
      if (over.aborted) throw cancelled();
      if (isFresh || id === this.#memory.state.live) throw explainDisk(error, this.#folder);
      // It ran, but is not well any more: once more from the beginning.
      tell(`${messageOf(error).split('\n')[0]} Starting it again.`);
      await life.end();
      return await this.#activate(order, { signal, tell });
    }
    const before = this.#memory.state.live;
    const { address } = opened;
    try {
      // Killed right after this line: the next keeper starts with the new release, which is proved.
      this.#memory.save({
        ...{ live: id, host: order.host, port: address.port },
        ...this.#memory.with(life.record),
        previous:
          before === id ? this.#memory.state.previous : order.keepPrevious ? before : undefined,
      });
    } catch (error) {
      await opened.undo();
      if (isFresh) await this.#giveUp(life);
      throw explainDisk(error, this.#folder);
    }
    this.#proxy.switchTo({ name: id, port: life.port });
    opened.leave();
    return {
      ...{ url: urlOf(address.host, address.port), port: life.port, report },
      ended: await this.#endOthers(),
    };
  }

  /** Ends what was started for nothing. */
  async #giveUp(life: ReleaseLife): Promise<void> {
    await life.end();
    if (life.id === this.#memory.state.live || life.id === this.#memory.state.previous) {
      this.#memory.keep(this.#memory.with(life.record));
      return;
    }
    this.#drop(life.id);
  }

  /** Those that neither have the traffic nor are kept to go back to. */
  async #endOthers(): Promise<string[]> {
    const { live, previous } = this.#memory.state;
    const others = [...this.#lives.keys()].filter((id) => id !== live && id !== previous);
    await Promise.all(others.map((id) => this.#end(id)));
    // One that is kept, and died when it had the traffic, needs no more tries.
    if (previous !== undefined) this.#lives.get(previous)?.letBe();
    const { logs } = keeperFiles(this.#folder);
    pruneLogs(logs, { keep: otherLogs, needed: new Set(this.#lives.keys()) });
    return others;
  }

  async #end(id: string): Promise<void> {
    const life = this.#lives.get(id);
    if (life === undefined) return;
    life.letBe();
    await this.#proxy.drained(life.port, life.graceMs);
    await life.end();
    this.#drop(id);
  }

  #life(record: ReleaseRecord): ReleaseLife {
    const life = new ReleaseLife({
      record,
      mark: `${this.#memory.state.mark}.${record.spec.id}`,
      log: keeperFiles(this.#folder).releaseLog(record.spec.id),
      closing: this.#closing.signal,
      isLive: () => this.#memory.state.live === record.spec.id,
      changed: (how) => this.#changed(life, how),
    });
    this.#lives.set(life.id, life);
    return life;
  }

  #changed(life: ReleaseLife, how: string | undefined): void {
    this.#memory.keep(this.#memory.with(life.record));
    if (this.#memory.state.live !== life.id) return;
    if (life.isUp) this.#proxy.switchTo({ name: life.id, port: life.port });
    else this.#proxy.down(`The release ${life.id} ${how ?? 'is not running'}.`);
  }

  #drop(id: string): void {
    this.#lives.delete(id);
    this.#memory.keep(this.#memory.without(id));
  }

  async #endLeftover({ spec, process: identity }: ReleaseRecord): Promise<void> {
    const isAlive = identity !== undefined && fateOf(identity) === 'alive';
    const group = isAlive ? identity.pid : undefined;
    const mark = `${this.#memory.state.mark}.${spec.id}`;
    await endGroup({ group, mark, graceMs: spec.stopGraceMs });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  #cutLogs(): void {
    for (const id of this.#lives.keys()) {
      cutLog(keeperFiles(this.#folder).releaseLog(id), logBytes);
    }
  }
}

function newRecord({ spec }: ActivateOrder): ReleaseRecord {
  const port = spec.runner.type === 'address' ? spec.runner.port : 0;
  return { spec, phase: 'starting', port, restarts: 0 };
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function cancelled(): ForgeError {
  return new ForgeError('cancelled', 'The deployment was cancelled; nothing was switched.');
}
