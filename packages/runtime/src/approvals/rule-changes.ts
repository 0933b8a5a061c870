import type { Store } from '@forge/store';

type RuleStore = Pick<Store, 'rules'>;

/** How often the rules of a store were changed in this process, so that its books know at once. */
const changes = new WeakMap<RuleStore, number>();

export function ruleChanges(store: RuleStore): number {
  return changes.get(store) ?? 0;
}

export function noteRuleChange(store: RuleStore): void {
  changes.set(store, ruleChanges(store) + 1);
}
