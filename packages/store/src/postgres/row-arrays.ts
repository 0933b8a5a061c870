/** Columns of rows that go to the server as one array each: one statement, however many rows. */
export type RowColumns = Readonly<Record<string, ColumnType>>;

/** `json` is text that was made by `JSON.stringify`, which leaves no control character in it. */
export type ColumnType = 'text' | 'bigint' | 'boolean' | 'bytea' | 'json';

/** Between the texts of a `json` column. They need no quoting, which for JSON would be the most of the work. */
const separator = '\x1e';

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
  const places = Object.values(columns).map((type, index) => {
    const place = `$${first + index}`;
    // No text at all makes no element; a shorter array is filled up with nulls.
    return type === 'json'
      ? `string_to_array(${place}::text, E'\\x1e', '')`
      : `${place}::${type}[]`;
  });
  return `unnest(${places.join(', ')}) as ${as} (${Object.keys(columns).join(', ')})`;
}

/** The values for those places. */
export function toArrays<Columns extends RowColumns>(
  columns: Columns,
  rows: readonly { readonly [column in keyof Columns]: unknown }[],
): string[] {
  return Object.entries(columns).map(([column, type]) => {
    const between = type === 'json' ? separator : ',';
    let text = '';
    for (const [at, row] of rows.entries()) {
      const value = row[column];
      if (at > 0) text += between;
      if (type === 'json') text += value ?? '';
      else text += value === null || value === undefined ? 'NULL' : element(type, value);
    }
    return type === 'json' ? text : `{${text}}`;
  });
}

/** As PostgreSQL writes it within an array. */
function element(type: ColumnType, value: unknown): string {
  if (type === 'bytea' && value instanceof Uint8Array) {
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`;
  }
  const text = String(value);
  if (type !== 'text') return text;
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}
