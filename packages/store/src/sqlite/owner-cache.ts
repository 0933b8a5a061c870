/** What a step has to know of its run, and what no step changes. */
export interface RunOwner {
  readonly id: string;
  readonly agent: string;
  readonly rootId: string;
}

const most = 10_000;

/**
 * Spares the steps of a run one look at its row. Not to be trusted alone: a run may have gone and
 * another have come under its id, so whoever uses it has the statement compare.
 */
export class OwnerCache {
  readonly #owners = new Map<string, RunOwner>();

  get(runId: string): RunOwner | undefined {
    return this.#owners.get(runId);
  }

  add(owner: RunOwner): void {
    if (this.#owners.size >= most) this.#owners.clear();
    this.#owners.set(owner.id, owner);
  }
}
