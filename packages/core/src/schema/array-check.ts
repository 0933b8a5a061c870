import { allUnique } from './equal-json.ts';
import type { ArrayRules, Check } from './schema-node.ts';

/** The keywords of lists, but for `unevaluatedItems`. */
export function arrayCheck(rules: ArrayRules): Check<readonly unknown[]> {
  const { prefix, items, contains, minItems, maxItems, uniqueItems } = rules;
  return {
    accepts(value) {
      const { length } = value;
      if (length < minItems || length > maxItems) return false;
      const named = Math.min(prefix.length, length);
      for (let i = 0; i < named; i++) if (!prefix[i]?.accepts(value[i])) return false;
      if (items !== undefined) {
        const { accepts } = items;
        for (let i = named; i < length; i++) if (!accepts(value[i])) return false;
      }
      if (contains !== undefined && !containsEnough(rules, value)) return false;
      return !uniqueItems || allUnique(value);
    },
    explain(value, sink) {
      const { length } = value;
      if (length < minItems) sink.add('minItems', `must have at least ${count(minItems)}`, value);
      if (length > maxItems) sink.add('maxItems', `must have at most ${count(maxItems)}`, value);
      for (let i = 0; i < length && !sink.full; i++) {
        const node = i < prefix.length ? prefix[i] : items;
        if (node === undefined) continue;
        sink.path.push(i);
        node.explain(value[i], sink);
        sink.path.pop();
      }
      if (contains !== undefined && !containsEnough(rules, value)) {
        const { minContains, maxContains } = rules;
        const most = maxContains < Number.POSITIVE_INFINITY ? ` and at most ${maxContains}` : '';
        sink.add(
          'contains',
          `must have at least ${minContains}${most} of the items it is for`,
          value,
        );
      }
      if (uniqueItems && !allUnique(value)) {
        sink.add('uniqueItems', 'must not have the same item twice', value);
      }
    },
  };
}

function containsEnough(rules: ArrayRules, value: readonly unknown[]): boolean {
  const { contains, minContains, maxContains } = rules;
  let found = 0;
  for (const item of value) {
    if (contains?.accepts(item)) found += 1;
    if (found > maxContains) return false;
  }
  return found >= minContains;
}

function count(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}
