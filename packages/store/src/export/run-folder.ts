import { join } from 'node:path';
import { ForgeError, type JsonValue } from '@forge/core';
import * as z from 'zod';

const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

/** `run.json`. What the store does not know (a model's name, its settings) the exporter is told. */
export const runFileSchema = z.object({
  id: z.string(),
  task: z.string(),
  repo_path: z.string(),
  state: z.enum(['pending', 'running', 'paused', 'completed', 'failed', 'cancelled', 'timeout']),
  iterations: z.number(),
  total_tokens: z.object({ prompt: z.number(), completion: z.number(), total: z.number() }),
  config: z.object({
    max_iterations: z.number().nullable(),
    max_tokens_per_run: z.number().nullable(),
    model: z.string(),
    provider: z.string(),
    temperature: z.number().nullable(),
    system_prompt: z.string().nullable(),
    profile_id: z.string().nullable(),
  }),
  created_at: z.string(),
  completed_at: z.string().nullable(),
  error: z.string().nullable(),
});

/** A line of `messages.jsonl`. */
export const messageLineSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        arguments: jsonValue,
        thought_signature: z.string().nullable(),
      }),
    )
    .optional(),
});

/** `summary.json`. */
export const summarySchema = z.object({
  run_id: z.string(),
  state: runFileSchema.shape.state,
  task: z.string(),
  model: z.string(),
  duration_seconds: z.number(),
  iterations: z.number(),
  tokens: runFileSchema.shape.total_tokens,
  estimated_cost_usd: z.number(),
  llm_calls: z.number(),
  tool_invocations: z.number(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});

/**
 * A line of `events.jsonl`: every event as the log has it. Where a tool ended, the line also says
 * what was called, with what, and what came of it.
 */
export const eventLineSchema = z.looseObject({
  type: z.string(),
  seq: z.number(),
  /** Left out where the log is damaged. */
  timestamp: z.string().optional(),
  tool_name: z.string().optional(),
  arguments: jsonValue.optional(),
  result: z
    .object({
      output: z.string(),
      error: z.string().nullable(),
      exit_code: z.number(),
      execution_time_ms: z.number(),
    })
    .optional(),
  iteration: z.number().optional(),
  duration_ms: z.number().optional(),
});

export type RunFile = z.infer<typeof runFileSchema>;
export type MessageLine = z.infer<typeof messageLineSchema>;
export type Summary = z.infer<typeof summarySchema>;
export type EventLine = z.infer<typeof eventLineSchema>;

/** Where the four files of a run are. An id that could lead elsewhere is refused. */
export function runFolder(folder: string, runId: string) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(runId) || runId.includes('..')) {
    throw new ForgeError(
      'invalid_options',
      `"${runId}" cannot name a folder. Ids of exported runs have letters, digits, "-", "_" and ".".`,
    );
  }
  const own = join(folder, runId);
  return {
    folder: own,
    run: join(own, 'run.json'),
    messages: join(own, 'messages.jsonl'),
    events: join(own, 'events.jsonl'),
    summary: join(own, 'summary.json'),
  };
}
