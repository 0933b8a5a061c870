import { messageOf } from '@forge/core';
import type { Worker } from '@forge/runtime';
import type { Lease, RunRow, Store } from '@forge/store';
import type { WorkshopOptions } from '../context.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { HandedLeases } from './handed-leases.ts';
import { hasOwnSettings, settingsOfRun } from './run-settings.ts';
import { shortId } from './short-id.ts';

type RunSettings = Omit<WorkshopOptions, 'context'>;

interface Side {
  readonly leases: HandedLeases;
  opened: Promise<void>;
  /** It could not be opened, and is not tried again while there is room for others. */
  isBroken?: boolean;
  /** Undefined while it is opened, and when it could not be. */
  working?: { readonly workshop: Workshop; readonly worker: Worker };
}

/** Kinds of settings that are worked with at once. */
const mostSides = 8;
/** Milliseconds until a run is looked at again whose settings are not ready. */
const soon = 1_000;

/**
 * Workers beside the one of `forge worker`, for runs whose command line asked for settings of their
 * own: another target, another forge.yaml. Each kind of settings has a workshop, opened when its first
 * run is due.
 */
export class SideWorkers {
  readonly #openWorkshop: (settings: RunSettings) => Promise<Workshop>;
  readonly #concurrency: number;
  readonly #tell: (line: string) => void;
  readonly #sides = new Map<string, Side>();

  constructor(options: {
    readonly open: (settings: RunSettings) => Promise<Workshop>;
    readonly concurrency: number;
    readonly tell: (line: string) => void;
  }) {
    this.#openWorkshop = options.open;
    this.#concurrency = options.concurrency;
    this.#tell = options.tell;
  }

  get active(): number {
    return [...this.#sides.values()].reduce(
      (sum, side) => sum + (side.working?.worker.active ?? 0),
      0,
    );
  }

  /** The store for the worker they are beside. */
  readonly view = (store: Store): Store => ({
    ...store,
    claim: async (options) => {
      for (;;) {
        const leases = await store.claim(options);
        const plain = leases.filter(({ run }) => !hasOwnSettings(run));
        for (const lease of leases) if (!plain.includes(lease)) await this.#pass(store, lease);
        // Behind those that were passed on there may be others.
        if (plain.length > 0 || leases.length === 0) return plain;
      }
    },
  });

  async stop({ grace }: { readonly grace: number }): Promise<void> {
    await Promise.all([...this.#sides.values()].map((side) => close(side, grace)));
  }

  /** A lease nobody has room for is given back unused: a run must not suffer for it. */
  async #pass(store: Store, lease: Lease): Promise<void> {
    const side = this.#sideFor(lease);
    const { working, leases } = side ?? {};
    if (
      working !== undefined &&
      working.worker.active + (leases?.waiting ?? 0) < this.#concurrency
    ) {
      leases?.hand(lease);
    } else {
      await store.postpone({ runId: lease.run.id, fence: lease.fence, delay: soon });
    }
  }

  #sideFor({ run }: Lease): Side | undefined {
    const settings = settingsOfRun(run);
    const key = JSON.stringify(settings);
    const known = this.#sides.get(key);
    if (known !== undefined) return known;
    if (this.#sides.size >= mostSides && !this.#makeRoom()) return undefined;
    const side: Side = { leases: new HandedLeases(), opened: Promise.resolve() };
    side.opened = this.#open(side, { run, settings });
    this.#sides.set(key, side);
    return side;
  }

  async #open(
    side: Side,
    { run, settings }: { readonly run: RunRow; readonly settings: RunSettings },
  ): Promise<void> {
    try {
      const working = await this.#begin(settings, side.leases);
      side.working = working;
    } catch (error) {
      side.isBroken = true;
      this.#tell(`Run ${shortId(run.id)} cannot be worked on as it was begun: ${messageOf(error)}`);
    }
  }

  async #begin(settings: RunSettings, { view }: HandedLeases) {
    const workshop = await this.#openWorkshop(settings);
    try {
      const how = { concurrency: this.#concurrency, onProblem: this.#tell };
      return { workshop, worker: await workshop.startWorker({ ...how, view, schedules: false }) };
    } catch (error) {
      await workshop.close();
      throw error;
    }
  }

  /** Closes one that has nothing to do, or could not be opened. */
  #makeRoom(): boolean {
    for (const [key, side] of this.#sides) {
      const isIdle = side.working?.worker.active === 0 && side.leases.waiting === 0;
      if (!isIdle && side.isBroken !== true) continue;
      this.#sides.delete(key);
      close(side, 0).catch((error: unknown) => this.#tell(messageOf(error)));
      return true;
    }
    return false;
  }
}

async function close(side: Side, grace: number): Promise<void> {
  await side.opened;
  await side.working?.worker.stop({ grace });
  await side.working?.workshop.close();
}
