export type { OpenTestDatabase, TestDatabase } from '../conformance/kit.ts';
export { storeConformance } from '../conformance/store-conformance.ts';
export { openTestSqlite } from '../sqlite/test-database.ts';
export { sharedPostgres } from './shared-postgres.ts';
export { type StartPostgresOptions, startPostgres, type TestPostgres } from './start-postgres.ts';
