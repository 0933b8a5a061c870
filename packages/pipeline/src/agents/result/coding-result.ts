import { join } from 'node:path';
import type { RunView } from '@forge/runtime';
import * as z from 'zod';
import { type CheckResult, codeSchema } from '../../contracts.ts';
import type { Profile } from '../profiles/profile.ts';

/** Where a run stands, in the words of the earlier system, and two more for runs that wait. */
export type ResultState =
  | 'pending'
  | 'running'
  | 'paused'
  | 'awaiting_approval'
  | 'completed'
  | 'failed'
  | 'timeout'
  | 'cancelled';

/** What `forge agent` prints: `agent-forge-run-result-v1`, and below it what is new here. */
export interface CodingResult {
  readonly schema_version: 'agent-forge-run-result-v1';
  readonly run_id: string;
  readonly state: ResultState;
  readonly task: string;
  readonly repo_path: string;
  readonly iterations: number;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly duration_seconds: number | null;
  readonly error: string | null;
  readonly total_tokens: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
  readonly artifacts: {
    readonly run_dir: string | null;
    readonly run_json: string | null;
    readonly messages_jsonl: string | null;
    readonly events_jsonl: string | null;
    readonly summary_json: string | null;
  };
  readonly profile?: {
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
  };
  readonly summary: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly files: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly cost_usd: number;
}

export interface CodingResultOptions {
  readonly view: RunView;
  readonly task: string;
  readonly repoPath: string;
  readonly profile?: Profile | undefined;
  /** The folder the run was written to, if it was. */
  readonly folder?: string | undefined;
}

const outputSchema = codeSchema.extend({ branch: z.string().optional() });

/** What came of a coding agent's run, for programs and people. Pure. */
export function codingResult(options: CodingResultOptions): CodingResult {
  const { view, task, repoPath, profile, folder } = options;
  const { run, state } = view;
  const { usage } = state;
  const code = readOutput(state.output?.text);
  const ended = run.finishedAt;
  return {
    schema_version: 'agent-forge-run-result-v1',
    run_id: run.id,
    state: stateOf(view),
    task,
    repo_path: repoPath,
    iterations: state.turn,
    created_at: new Date(run.createdAt).toISOString(),
    completed_at: ended === undefined ? null : new Date(ended).toISOString(),
    duration_seconds: ended === undefined ? null : (ended - run.createdAt) / 1_000,
    error: errorOf(view),
    total_tokens: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
    artifacts: artifactsIn(folder),
    ...(profile !== undefined && {
      profile: {
        id: profile.id,
        name: profile.name,
        description: profile.description ?? null,
      },
    }),
    summary: code?.summary ?? null,
    branch: code?.branch ?? null,
    commit: code?.commit ?? null,
    files: code?.files ?? [],
    checks: code?.checks ?? [],
    cost_usd: usage.cost,
  };
}

/** 0 only for work that was completed. */
export function exitCodeOf(state: ResultState): 0 | 1 {
  return state === 'completed' ? 0 : 1;
}

const limits: Readonly<Record<string, string>> = {
  turn_limit: 'Max iterations reached',
  token_limit: 'Token budget exceeded',
  cost_limit: 'Cost budget exceeded',
  time_limit: 'Time limit reached',
};

function stateOf({ run, status }: RunView): ResultState {
  if (run.state === 'dead') return 'failed';
  switch (status) {
    case 'new':
      return run.state === 'cancelled' ? 'cancelled' : 'pending';
    case 'completed':
    case 'cancelled':
      return status;
    case 'failed':
      return run.reason !== undefined && Object.hasOwn(limits, run.reason) ? 'timeout' : 'failed';
    case 'paused':
      return 'paused';
    case 'waiting_for_approval':
      return 'awaiting_approval';
    case 'thinking':
    case 'acting':
    case 'waiting_for_answer':
    case 'waiting_for_input':
      return 'running';
    default:
      return status satisfies never;
  }
}

function errorOf(view: RunView): string | null {
  const { run } = view;
  const state = stateOf(view);
  if (state !== 'failed' && state !== 'timeout' && state !== 'cancelled') return null;
  const named = run.reason === undefined ? undefined : limits[run.reason];
  const said = run.explanation ?? state;
  return named === undefined ? said : `${named}. ${said}`;
}

function readOutput(text: string | undefined): z.infer<typeof outputSchema> | undefined {
  if (text === undefined) return undefined;
  try {
    return outputSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // An answer in words, of an agent with other tools.
  }
}

function artifactsIn(folder: string | undefined): CodingResult['artifacts'] {
  const file = (name: string) => (folder === undefined ? null : join(folder, name));
  return {
    run_dir: folder ?? null,
    run_json: file('run.json'),
    messages_jsonl: file('messages.jsonl'),
    events_jsonl: file('events.jsonl'),
    summary_json: file('summary.json'),
  };
}
