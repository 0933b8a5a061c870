import type { Store } from '@forge/store';
import type { RuleBook } from './rule-book.ts';
import { ruleChanges } from './rule-changes.ts';
import { RuleIndex } from './rule-index.ts';

/**
 * The rules of a store. What this process changes counts at once, what others change within
 * `maxAge` milliseconds (default 1,000). It reads only when it is asked something, so that a worker
 * that has nothing to do costs nothing.
 */
export function createRuleBook(
  store: Pick<Store, 'rules'>,
  { now, maxAge = 1_000 }: { readonly now: () => number; readonly maxAge?: number },
): RuleBook {
  let known:
    | { readonly rules: RuleIndex; readonly at: number; readonly change: number }
    | undefined;
  let loading: { readonly done: Promise<RuleIndex>; readonly change: number } | undefined;

  const load = async (change: number): Promise<RuleIndex> => {
    const at = now();
    try {
      const rules = new RuleIndex(await store.rules());
      known = { rules, at, change };
      return rules;
    } finally {
      if (loading?.change === change) loading = undefined;
    }
  };

  /** Many calls at once are one look. */
  const current = (): RuleIndex | Promise<RuleIndex> => {
    const change = ruleChanges(store);
    const age = known === undefined ? maxAge : now() - known.at;
    // A clock that was set back makes them old too.
    if (known?.change === change && age >= 0 && age < maxAge) return known.rules;
    if (loading?.change !== change) loading = { done: load(change), change };
    return loading.done;
  };

  return { judge: async (call) => (await current()).judge(call) };
}
