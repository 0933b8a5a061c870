import type { FileHandle } from 'node:fs/promises';
import { noSuchRun } from '../no-such-run.ts';
import { isBroken } from '../sql/read-events.ts';
import type { RunRow, Store } from '../store.ts';
import { messagesIn, toLines } from './message-lines.ts';
import { RunDigest } from './run-digest.ts';
import { type RunFile, runFolder, type Summary } from './run-folder.ts';
import { writeAtomically, writeJsonFile } from './write-atomically.ts';

export interface ExportRunOptions {
  readonly store: Store;
  readonly runId: string;
  /** The folder of all runs; this one gets a folder of its own in it. */
  readonly folder: string;
  /** What the store does not know. */
  readonly config?: Partial<RunFile['config']>;
  readonly repoPath?: string;
}

/**
 * Writes a run as `run.json`, `messages.jsonl`, `events.jsonl` and `summary.json`, each in one piece
 * and `run.json` last. Gives the folder. `not_found` without the run.
 */
export async function exportRunFolder({
  store,
  runId,
  folder,
  config,
  repoPath,
}: ExportRunOptions): Promise<string> {
  const files = runFolder(folder, runId);
  const run = await store.run(runId);
  if (run === undefined) throw noSuchRun(runId);
  const digest = new RunDigest();
  // The log may go on meanwhile: both files end where the row says.
  await writeAtomically(files.events, async (events) => {
    await writeAtomically(files.messages, (messages) =>
      writeLines({ store, run, digest, events, messages }),
    );
  });
  const model = config?.model ?? '';
  await writeJsonFile(files.summary, toSummary({ run, digest, model }));
  await writeJsonFile(files.run, toRunFile({ run, digest, config, repoPath }));
  return files.folder;
}

const page = 500;

async function writeLines({
  store,
  run,
  digest,
  events,
  messages,
}: {
  readonly store: Store;
  readonly run: RunRow;
  readonly digest: RunDigest;
  readonly events: FileHandle;
  readonly messages: FileHandle;
}): Promise<void> {
  for (let after = 0; after < run.seq; after += page) {
    const log = await store.events(run.id, { after, limit: Math.min(page, run.seq - after) });
    let eventLines = '';
    let messageLines = '';
    for (const event of log) {
      if (isBroken(event)) {
        eventLines += `${JSON.stringify({ type: 'broken', ...event })}\n`;
        continue;
      }
      eventLines += `${JSON.stringify(digest.add(event))}\n`;
      for (const line of messagesIn(event).flatMap(toLines))
        messageLines += `${JSON.stringify(line)}\n`;
    }
    await events.appendFile(eventLines);
    await messages.appendFile(messageLines);
  }
}

function toRunFile({
  run,
  digest,
  config,
  repoPath,
}: {
  readonly run: RunRow;
  readonly digest: RunDigest;
  readonly config: Partial<RunFile['config']> | undefined;
  readonly repoPath: string | undefined;
}): RunFile {
  return {
    id: run.id,
    task: digest.task || (run.title ?? ''),
    repo_path: repoPath ?? run.labels.repo_path ?? '',
    state: oldState(run),
    iterations: run.turns,
    total_tokens: tokensOf(run),
    config: {
      max_iterations: null,
      max_tokens_per_run: null,
      model: '',
      provider: '',
      temperature: null,
      system_prompt: null,
      profile_id: null,
      ...config,
    },
    created_at: isoTime(run.createdAt),
    completed_at: run.finishedAt === undefined ? null : isoTime(run.finishedAt),
    error:
      run.state === 'failed' || run.state === 'dead' ? (run.explanation ?? 'It failed.') : null,
  };
}

function toSummary({
  run,
  digest,
  model,
}: {
  readonly run: RunRow;
  readonly digest: RunDigest;
  readonly model: string;
}): Summary {
  return {
    run_id: run.id,
    state: oldState(run),
    task: digest.task || (run.title ?? ''),
    model,
    duration_seconds: ((run.finishedAt ?? run.updatedAt) - run.createdAt) / 1_000,
    iterations: run.turns,
    tokens: tokensOf(run),
    estimated_cost_usd: run.cost,
    llm_calls: digest.llmCalls,
    tool_invocations: digest.toolInvocations,
    created_at: isoTime(run.createdAt),
    completed_at: run.finishedAt === undefined ? null : isoTime(run.finishedAt),
  };
}

function tokensOf({ usage: { inputTokens, outputTokens } }: RunRow): RunFile['total_tokens'] {
  return { prompt: inputTokens, completion: outputTokens, total: inputTokens + outputTokens };
}

const limits = new Set(['turn_limit', 'token_limit', 'cost_limit', 'time_limit']);

/** The old shape knows `timeout` for whatever ran into a limit. */
function oldState({ state, seq, reason }: RunRow): RunFile['state'] {
  switch (state) {
    case 'open':
      return seq === 0 ? 'pending' : 'running';
    case 'dead':
      return 'failed';
    case 'failed':
      return limits.has(reason ?? '') ? 'timeout' : 'failed';
    default:
      return state;
  }
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
