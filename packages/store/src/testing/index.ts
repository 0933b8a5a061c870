export type { OpenTestDatabase, TestDatabase } from '../conformance/kit.ts';
export { Seeded } from '../conformance/seeded.ts';
export { storeConformance } from '../conformance/store-conformance.ts';
export { openTestSqlite } from '../sqlite/test-database.ts';
export { freePort } from './free-port.ts';
export {
  type ServerKeeper,
  type ServerKeeperOptions,
  startServerKeeper,
} from './server-keeper.ts';
export { sharedPostgres } from './shared-postgres.ts';
export { type StartPostgresOptions, startPostgres, type TestPostgres } from './start-postgres.ts';
