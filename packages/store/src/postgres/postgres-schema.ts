import { postgresSchema as common, type SchemaMake } from '../schema/schema-make.ts';
import { receiptsTable } from './receipts.ts';

/**
 * What this make adds to the tables.
 *
 * A day's figures would be one row that every commit waits for. So they are counted in shards, which
 * are part of `daily_stats` for whoever reads or empties it.
 *
 * The rows of runs change often. Room on their pages keeps most changes out of the indexes, and they
 * are tidied early: a claim walks over what is left of runs that were due once.
 */
export const postgresSchema: SchemaMake = {
  ...common,
  extra: [
    ...common.extra,
    receiptsTable,
    `create table daily_shards (shard bigint not null, primary key (day, agent, shard))
      inherits (daily_stats)`,
    'alter table runs set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)',
  ],
  // A column that is added to the figures comes to their shards by itself; a key does not.
  daysByModel: [
    ...common.daysByModel,
    `alter table daily_shards drop constraint daily_shards_pkey,
      add primary key (day, agent, model, shard)`,
  ],
};
