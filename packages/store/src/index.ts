export { isProgress } from './append/is-progress.ts';
export type {
  DeploymentChange,
  DeploymentRow,
  DeploymentState,
  DeploymentStore,
  NewDeployment,
} from './deployments/deployment-store.ts';
export { type ExportRunOptions, exportRunFolder } from './export/export-run-folder.ts';
export { exportMemory, importFacts, importMemory, type Memory } from './export/memory.ts';
export { type RunFolder, readRunFolder } from './export/read-run-folder.ts';
export type { EventLine, MessageLine, RunFile, Summary } from './export/run-folder.ts';
export {
  type Fact,
  factLimits,
  type MemoryStore,
  type NewFact,
  type Remembered,
} from './memory/memory-store.ts';
export { openPostgresStore, openSqliteStore, openStore } from './open-store.ts';
export type { OutcomeFilter, OutcomeRow } from './outcomes/outcome-row.ts';
export type { PostgresStoreOptions } from './postgres/open-postgres-store.ts';
export type { OnDue, SqlTransaction } from './postgres/transactions.ts';
export { schemaVersion } from './schema/migrate.ts';
export { isBroken } from './sql/read-events.ts';
export type { SqliteStoreOptions } from './sqlite/open-sqlite-store.ts';
export type * from './store.ts';
