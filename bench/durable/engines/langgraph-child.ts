import { stepsPerRun } from '../engine.ts';
import { moduleIn } from '../install.ts';
import { obeyRuns } from '../obey-runs.ts';

interface Count {
  readonly count: number;
}
interface Graph {
  addNode(name: string, work: (state: Count) => Promise<Count>): Graph;
  addEdge(from: string, to: string): Graph;
  addConditionalEdges(from: string, next: (state: Count) => string): Graph;
  compile(options: { readonly checkpointer: unknown }): {
    invoke(state: Count, options: Readonly<Record<string, unknown>>): Promise<Count>;
  };
}
interface LangGraph {
  readonly StateGraph: new (state: unknown) => Graph;
  readonly Annotation: (() => unknown) & { Root(fields: { count: unknown }): unknown };
  readonly START: string;
  readonly END: string;
}

const [folder = '', url = ''] = process.argv.slice(2);
const { StateGraph, Annotation, START, END }: LangGraph = await import(
  moduleIn(folder, '@langchain/langgraph')
);
const graph = new StateGraph(Annotation.Root({ count: Annotation() }))
  .addNode('step', async ({ count }) => ({ count: count + 1 }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ count }) => (count < stepsPerRun ? 'step' : END))
  .compile({ checkpointer: await openCheckpointer() });
let launched = 0;

obeyRuns({
  async runOne() {
    launched += 1;
    const { count } = await graph.invoke(
      { count: 0 },
      // A step is on disk before the next one starts, as with everybody else.
      { configurable: { thread_id: `run-${launched}` }, recursionLimit: 100, durability: 'sync' },
    );
    return count;
  },
});

function openCheckpointer(): Promise<unknown> {
  return url.startsWith('postgres:') ? openPostgres() : openSqlite();
}

async function openPostgres(): Promise<unknown> {
  interface Saver {
    setup(): Promise<void>;
  }
  const { PostgresSaver }: { PostgresSaver: { fromConnString(url: string): Saver } } = await import(
    moduleIn(folder, '@langchain/langgraph-checkpoint-postgres')
  );
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  return saver;
}

async function openSqlite(): Promise<unknown> {
  interface Sqlite {
    pragma(text: string): unknown;
  }
  const { default: Database }: { default: new (file: string) => Sqlite } = await import(
    moduleIn(folder, 'better-sqlite3')
  );
  const { SqliteSaver }: { SqliteSaver: new (database: Sqlite) => unknown } = await import(
    moduleIn(folder, '@langchain/langgraph-checkpoint-sqlite')
  );
  const database = new Database(url);
  database.pragma('journal_mode = WAL');
  // It would be NORMAL, which does not wait for the disk.
  database.pragma('synchronous = FULL');
  return new SqliteSaver(database);
}
