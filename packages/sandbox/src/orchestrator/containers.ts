import { randomUUID } from 'node:crypto';
import { ForgeError, messageOf } from '@forge/core';
import type { Execution, Sandbox, SandboxBackend, SandboxOptions } from '../sandbox.ts';
import type { Log } from './log.ts';
import type { OrchestratorPolicy } from './policy.ts';
import { Sessions } from './sessions.ts';
import { MissingContainer } from './status.ts';

/** Who calls: the name of a token, or an address. */
export interface Caller {
  readonly client: string;
  /** The program of a client that this call came from, where it says so. */
  readonly session: string | undefined;
}

export interface Container {
  readonly id: string;
  readonly client: string;
  readonly session: string | undefined;
  readonly sandbox: Sandbox;
  readonly startedAt: number;
  readonly labels: Readonly<Record<string, string>>;
  /** By the names callers gave them. */
  readonly commands: Map<string, Execution>;
  /** Calls under way. */
  calls: number;
  lastUsed: number;
  /** Whether its session was told that it ended. */
  told: boolean;
}

export interface ContainersOptions {
  readonly backend: SandboxBackend;
  readonly policy: OrchestratorPolicy;
  readonly log: Log;
  readonly now: () => number;
}

/** All containers of this server: whose they are, how many there may be, when they have to go. */
export class Containers {
  readonly sessions = new Sessions();
  readonly #options: ContainersOptions;
  readonly #containers = new Map<string, Container>();
  /** Ids that are being started, and for whom. */
  readonly #starting = new Map<string, string>();
  #closed = false;

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  async create(
    { client, session }: Caller,
    { id = randomUUID(), options }: { id?: string; options: SandboxOptions },
  ): Promise<Container> {
    this.#checkRoom(client, id);
    this.#starting.set(id, client);
    try {
      const labels = options.labels ?? {};
      const sandbox = await this.#options.backend.start({
        ...options,
        labels: { ...labels, 'forge.orchestrator.client': client },
      });
      if (this.#closed || options.signal?.aborted) {
        await sandbox.stop();
        throw new ForgeError('cancelled', 'The caller went away while the container was started.');
      }
      const now = this.#options.now();
      const container: Container = {
        ...{ id, client, session, sandbox, labels, startedAt: now, lastUsed: now },
        ...{ commands: new Map(), calls: 0, told: false },
      };
      this.#containers.set(id, container);
      this.#options.log('info', 'container created', { id, client });
      return container;
    } finally {
      this.#starting.delete(id);
    }
  }

  /** `not_found` also for those of other clients: who asks learns nothing of them. */
  find({ client }: Caller, id: string): Container {
    const container = this.#containers.get(id);
    if (container?.client === client) return container;
    throw new MissingContainer(id);
  }

  /** Keeps it from being found idle while the work goes on. */
  async use<Value>(
    caller: Caller,
    id: string,
    work: (container: Container) => Promise<Value>,
  ): Promise<Value> {
    const release = this.hold(caller, id);
    try {
      return await work(release.container);
    } finally {
      release();
    }
  }

  hold(caller: Caller, id: string): (() => void) & { readonly container: Container } {
    const container = this.find(caller, id);
    container.calls += 1;
    const release = () => {
      container.calls -= 1;
      container.lastUsed = this.#options.now();
    };
    return Object.assign(release, { container });
  }

  listOf({ client }: Caller): readonly Container[] {
    return [...this.#containers.values()].filter((container) => container.client === client);
  }

  async destroy(container: Container, { graceMs = 0, why = 'asked for' } = {}): Promise<void> {
    await container.sandbox.stop({ graceMs });
    this.#containers.delete(container.id);
    this.#options.log('info', 'container destroyed', { id: container.id, why });
  }

  /** Tells of those that ended by themselves and destroys those nobody needs any more. */
  async sweep(): Promise<void> {
    const { now, policy } = this.#options;
    const idle: Container[] = [];
    for (const container of this.#containers.values()) {
      if (container.sandbox.state() !== 'running' && !container.told) {
        container.told = true;
        this.sessions.tell(container);
      }
      if (container.calls > 0 || this.sessions.isAttached(container)) continue;
      const since = Math.max(container.lastUsed, this.sessions.detachedAt(container) ?? 0);
      if (now() - since > policy.idleMs) idle.push(container);
    }
    await this.#destroyAll(idle, 'its caller is gone');
    this.sessions.forget([...this.#containers.values()]);
  }

  /** Those whose session has ended, not by our own doing but by its. */
  async reap(caller: Caller): Promise<readonly string[]> {
    const { now, policy } = this.#options;
    const orphans = this.listOf(caller).filter((container) => {
      if (container.session === caller.session || this.sessions.isAttached(container)) return false;
      const since = this.sessions.detachedAt(container);
      return since !== undefined && now() - since >= policy.reattachMs;
    });
    await this.#destroyAll(orphans, 'its session has ended');
    return orphans.map(({ id, session }) => `container ${id} of session ${session}`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#destroyAll([...this.#containers.values()], 'the orchestrator stops');
  }

  async #destroyAll(containers: readonly Container[], why: string): Promise<void> {
    await Promise.all(
      containers.map((container) =>
        this.destroy(container, { why }).catch((error: unknown) => {
          const { id } = container;
          this.#options.log('error', 'container not destroyed', { id, problem: messageOf(error) });
        }),
      ),
    );
  }

  #checkRoom(client: string, id: string): void {
    const { containers, containersPerClient } = this.#options.policy;
    if (this.#closed) throw new ForgeError('sandbox_failed', 'The orchestrator is stopping.');
    if (this.#containers.has(id) || this.#starting.has(id)) {
      throw new ForgeError('already_exists', `There is a container ${id} already.`);
    }
    const all = [...this.#containers.values()].map((container) => container.client);
    const clients = [...all, ...this.#starting.values()];
    const own = clients.filter((name) => name === client).length;
    if (own >= containersPerClient || clients.length >= containers) {
      const most = own >= containersPerClient ? `${own} containers of yours` : 'no room';
      throw new ForgeError('limit_reached', `There are ${most} here. Destroy one, or wait.`);
    }
  }
}
