import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Tables } from '../schema/tables.ts';
import { failureOf } from './failure.ts';

/** A connection that is ours for a while. */
export interface Connection {
  readonly client: pg.PoolClient;
  /** The same connection, for SQL that is built. */
  readonly db: Kysely<Tables>;
}

export interface Connections {
  /** Runs work on a connection of its own. At most so many at once as there are; others wait their turn. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Like `use`, on the connections that are kept free for appends. */
  useKept<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

export interface PoolOptions {
  readonly url: string;
  /** Connections in all. */
  readonly size: number;
  /** How many of them are for appends only. */
  readonly kept: number;
  /** Milliseconds for a statement; none if not said. A network that is gone says nothing. */
  readonly statementWithin?: number;
}

/** Time to reach a server before that counts as a failure. */
const connectWithin = 5_000;
/**
 * A process that is stopped in the middle of a transaction must not keep its locks: others could not
 * take over its runs.
 */
const longestIdleTransaction = 15_000;

/** What every connection of the store is made with. */
export function connectionOptions(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'forge',
    connectionTimeoutMillis: connectWithin,
    idle_in_transaction_session_timeout: longestIdleTransaction,
    keepAlive: true,
    // Plans are made once per connection, often while the tables are still small, and kept while
    // they grow: a scan of a whole table that was cheap then would cost more with every run.
    options: '-c enable_seqscan=off',
    types: { getTypeParser },
  };
}

export function openPool({ url, size, kept, statementWithin }: PoolOptions): Connections {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    max: size,
    ...(statementWithin !== undefined && { query_timeout: statementWithin }),
  });
  // A connection that breaks says so to whoever uses it; nobody else has to hear.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const builders = new WeakMap<pg.PoolClient, Kysely<Tables>>();

  const borrow = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken = true;
    try {
      let db = builders.get(client);
      if (db === undefined) {
        db = builderOn(client);
        builders.set(client, db);
      }
      const value = await work({ client, db });
      broken = false;
      return value;
    } catch (error) {
      broken = failureOf(error) === 'lost';
      throw error;
    } finally {
      // One that is left inside a transaction is not fit for the next: closing it undoes that.
      client.release(broken || client.getTransactionStatus() !== 'I');
    }
  };
  const shared = turns(Math.max(1, size - kept));
  const forAppends = turns(kept);
  return {
    use: (work) => shared(() => borrow(work)),
    useKept: (work) => forAppends(() => borrow(work)),
    end: () => pool.end(),
  };
}

/** Lets so many in at once, the others in the order they came. */
function turns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Kysely on exactly this connection, which stays ours when a query of it is done. */
function builderOn(client: pg.PoolClient): Kysely<Tables> {
  const lent: PostgresPoolClient = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => lent, end: async () => {}, options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

const bigint = 20;

/** Counts and times are safe integers; what is not would lose digits silently. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === bigint && format !== 'binary') return readBigint;
  return pg.types.getTypeParser(oid, format);
}

function readBigint(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${text} from the database is no safe integer`);
}
