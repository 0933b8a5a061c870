import type { Kysely } from 'kysely';
import { hashOf } from '../append/prepare-append.ts';
import type { WriteTx } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';

/** Keeps bytes under their hash. The same bytes are kept once. */
export async function putBlob({ db }: WriteTx, bytes: Uint8Array): Promise<string> {
  const hash = hashOf(bytes);
  await db
    .insertInto('blobs')
    .values({ hash, bytes, kept: 1 })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ kept: 1 }))
    .execute();
  return hash;
}

export async function getBlob(db: Kysely<Tables>, hash: string): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('blobs')
    .select('bytes')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row && new Uint8Array(row.bytes);
}
