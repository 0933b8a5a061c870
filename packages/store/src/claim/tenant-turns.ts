/**
 * Whose turn it is. Tenants are served in the order of their names, each time beginning after the
 * one that was served last: who has much waiting cannot keep the others from their turn.
 */
export class TenantTurns {
  #last: string | undefined;

  /** The names in the order of their turns. They come sorted. */
  order(tenants: readonly string[]): readonly string[] {
    const last = this.#last;
    if (last === undefined) return tenants;
    const first = tenants.findIndex((tenant) => tenant > last);
    return first <= 0 ? tenants : [...tenants.slice(first), ...tenants.slice(0, first)];
  }

  served(tenant: string): void {
    this.#last = tenant;
  }
}
