import { type PreparedAppend, prepareAppend } from '../append/prepare-append.ts';
import type { Append, Store } from '../store.ts';
import { appendQuery, type SteppedBatch } from './append-batch.ts';
import { appendCarefully, isPlain, whyNot } from './append-carefully.ts';
import { BatchQueue, type Outcome } from './batch-queue.ts';
import { failureOf, toForgeError } from './failure.ts';
import { type PatienceOptions, withPatience } from './patience.ts';
import type { Connections } from './pool.ts';
import type { Receipt, Receipts } from './receipts.ts';
import type { Transactions } from './transactions.ts';

type Written = Awaited<ReturnType<Store['append']>>;
/** The runs whose steps were written. */
type WrittenRuns = ReadonlySet<string>;

export interface Appends {
  append(step: Append): Promise<Written>;
  /** When nothing is under way. */
  settled(): Promise<void>;
}

const mostSteps = 256;
const mostBytes = 4 * 1024 * 1024;
const mostWaiting = 2_000;

export function createAppends({
  connections,
  transactions,
  receipts,
  patience,
  flights,
  shard,
  onAppend,
}: {
  readonly connections: Connections;
  readonly transactions: Transactions;
  readonly receipts: Receipts;
  readonly patience: PatienceOptions;
  /** Batches under way at once. */
  readonly flights: number;
  /** Where this writer counts. */
  readonly shard: number;
  readonly onAppend: () => void;
}): Appends {
  /** A lost answer is found out about by the receipt. */
  async function write(batch: readonly PreparedAppend[], receipt: Receipt): Promise<WrittenRuns> {
    const query = appendQuery(batch, { receipt, shard });
    try {
      const { rows } = await connections.useKept(({ client }) => client.query<SteppedBatch>(query));
      return new Set(rows[0]?.ids ?? batch.map(({ step }) => step.runId));
    } catch (error) {
      if (failureOf(error) !== 'lost') throw error;
      const settled = await transactions.settle(receipt);
      if (!settled.committed) throw error;
      return writtenBy(settled.tx);
    }
  }

  /** Every step that goes by this way has an event, and events carry their transaction. */
  async function writtenBy(tx: string): Promise<WrittenRuns> {
    const text = 'select distinct run_id from events where tx = $1::xid8';
    const { rows } = await transactions.read(({ client }) =>
      client.query<{ run_id: string }>(text, [tx]),
    );
    return new Set(rows.map(({ run_id }) => run_id));
  }

  async function run(batch: readonly PreparedAppend[]): Promise<readonly Outcome<Written>[]> {
    let written: WrittenRuns;
    try {
      written = await receipts.use((next) => withPatience(patience, () => write(batch, next())));
    } catch (error) {
      if (batch.length === 1 || failureOf(error) !== 'fault') {
        const failure = toForgeError(error);
        return batch.map(() => ({ error: failure }));
      }
      // One of them cannot be written: the others must not suffer for it.
      const alone: Outcome<Written>[] = [];
      for (const prepared of batch) alone.push(...(await run([prepared])));
      return alone;
    }
    if (written.size > 0) onAppend();
    return Promise.all(
      batch.map(async ({ step, events }) => {
        if (written.has(step.runId)) return { value: { seq: step.expectedSeq + events.length } };
        return { error: await transactions.read(({ client }) => whyNot(client, step)) };
      }),
    );
  }

  const queue = new BatchQueue<PreparedAppend, Written>({
    flights,
    mostItems: mostSteps,
    mostSize: mostBytes,
    mostWaiting,
    keyOf: ({ step }) => step.runId,
    sizeOf: ({ size }) => size,
    run,
  });

  return {
    async append(step) {
      if (isPlain(step)) return queue.add(() => prepareAppend(step));
      const prepared = prepareAppend(step);
      const written = await transactions.write((tx) => appendCarefully(tx, { prepared, shard }));
      onAppend();
      return written;
    },
    settled: () => queue.settled(),
  };
}
