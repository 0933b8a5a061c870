/** Columns of rows that go to the server as one array each: one statement, however many rows. */
export type RowColumns = Readonly<Record<string, string>>;

/**
 * The rows as a table in SQL, with its places numbered from `first`.
 *
 * @example
 * unnest({ id: 'text', seq: 'bigint' }, { as: 'input', first: 1 })
 * // unnest($1::text[], $2::bigint[]) as input (id, seq)
 */
export function unnest(
  columns: RowColumns,
  { as, first }: { readonly as: string; readonly first: number },
): string {
  const places = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${places.join(', ')}) as ${as} (${Object.keys(columns).join(', ')})`;
}

/** The values for those places. */
export function toArrays<Columns extends RowColumns>(
  columns: Columns,
  rows: readonly { readonly [column in keyof Columns]: unknown }[],
): unknown[][] {
  return Object.keys(columns).map((column) => rows.map((row) => row[column]));
}
