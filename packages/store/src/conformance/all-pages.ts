import assert from 'node:assert/strict';
import type { Page } from '../store.ts';

/** Everything a list gives, so many at a time. */
export async function allPages<T>(
  list: (page: { readonly limit: number; readonly after?: string }) => Promise<Page<T>>,
  limit: number,
): Promise<readonly T[]> {
  const found: T[] = [];
  let after: string | undefined;
  do {
    const page = await list({ limit, ...(after !== undefined && { after }) });
    assert.ok(page.items.length <= limit);
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
}
