import pg from 'pg';
import type { OpenTestDatabase } from '../conformance/kit.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';

let template: Promise<string> | undefined;

/** A database with the tables, to be copied: quicker than making them for each test. */
async function makeTemplate(): Promise<string> {
  const url = await (await sharedPostgres()).createDatabase();
  await (await openPostgresStore({ url })).close();
  return url;
}

/** An empty database on the server of this test process. */
export const openTestDatabase: OpenTestDatabase = async ({ now }) => {
  const postgres = await sharedPostgres();
  template ??= makeTemplate();
  const url = await postgres.createDatabase({ template: await template });
  return {
    connect: (options) => openPostgresStore({ url, now, poolSize: 4, ...options }),
    execute: (statement) => execute(url, statement),
    remove: () => postgres.dropDatabase(url),
  };
};

/** One statement by somebody who is no store. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
