import type { ClaimOptions } from '../store.ts';

/** How many runs of an agent of a tenant are leased now. */
export interface LeaseCount {
  readonly agent: string;
  readonly tenant: string;
  readonly count: number;
}

/** Whether another run of an agent and a tenant may be leased. Runs without a tenant share no limit. */
export class LeaseLimits {
  readonly #options: Pick<ClaimOptions, 'perAgent' | 'perTenant'>;
  readonly #agents = new Map<string, number>();
  readonly #tenants = new Map<string, number>();

  constructor(
    options: Pick<ClaimOptions, 'perAgent' | 'perTenant'>,
    leased: readonly LeaseCount[],
  ) {
    this.#options = options;
    for (const { agent, tenant, count } of leased) this.#add(agent, tenant, count);
  }

  /** False if nothing is limited: then nobody needs to count. */
  static areAsked({ perAgent, perTenant }: Pick<ClaimOptions, 'perAgent' | 'perTenant'>): boolean {
    return perTenant !== undefined || Object.keys(perAgent ?? {}).length > 0;
  }

  allows(agent: string, tenant: string): boolean {
    const { perAgent, perTenant } = this.#options;
    const most =
      perAgent !== undefined && Object.hasOwn(perAgent, agent) ? perAgent[agent] : undefined;
    if (most !== undefined && (this.#agents.get(agent) ?? 0) >= most) return false;
    if (perTenant === undefined || tenant === '') return true;
    return (this.#tenants.get(tenant) ?? 0) < perTenant;
  }

  take(agent: string, tenant: string): void {
    this.#add(agent, tenant, 1);
  }

  #add(agent: string, tenant: string, count: number): void {
    this.#agents.set(agent, (this.#agents.get(agent) ?? 0) + count);
    this.#tenants.set(tenant, (this.#tenants.get(tenant) ?? 0) + count);
  }
}
