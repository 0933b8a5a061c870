import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { toArrays, unnest } from './row-arrays.ts';

const columns = { id: 'text', n: 'bigint', yes: 'boolean', bytes: 'bytea', data: 'json' } as const;

const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
const row = fc.record({
  id: fc.option(fc.oneof(word, fc.constantFrom('', 'NULL', 'null', '{}', ',', '"', '\\', ' ')), {
    nil: null,
  }),
  n: fc.option(fc.maxSafeInteger(), { nil: null }),
  yes: fc.option(fc.boolean(), { nil: null }),
  bytes: fc.option(fc.uint8Array(), { nil: null }),
  data: fc.option(fc.json(), { nil: null }),
});

test('rows come out as they went in, whatever is in them', async () => {
  const postgres = await sharedPostgres();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const text = `select id, n::text, yes, encode(bytes, 'hex') as bytes, data
      from ${unnest(columns, { as: 'given', first: 1 })}`;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        const found = await client.query({ name: 'given', text, values: toArrays(columns, rows) });
        const expected = rows.map(({ n, bytes, ...rest }) => ({
          ...rest,
          n: n === null ? null : String(n),
          bytes: bytes === null ? null : Buffer.from(bytes).toString('hex'),
        }));
        assert.deepEqual(found.rows, expected);
      }),
      { numRuns: 200 },
    );
  } finally {
    await client.end();
  }
});
