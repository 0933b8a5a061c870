import * as z from 'zod';
import { checkResultSchema } from '../../contracts.ts';
import type { RunPort } from '../ports.ts';
import { readRecord } from '../read-record.ts';

/** What `run_checks` notes in the log: the tree it looked at, and what came of each command. */
export const checkRecordSchema = z.object({
  /** The tree as it was when they began. */
  tree: z.string(),
  /** That is the tree the run began with. */
  untouched: z.boolean(),
  passed: z.boolean(),
  checks: z.array(checkResultSchema),
});
export type CheckRecord = z.infer<typeof checkRecordSchema>;

export const runChecks = 'run_checks';

/** Every run of the checks in this run, found in its log: a restart does not lose them. */
export async function allChecks(runs: RunPort, runId: string): Promise<readonly CheckRecord[]> {
  const results = await runs.resultsOf(runId, runChecks);
  return results.flatMap((texts) => readRecord(checkRecordSchema, texts) ?? []);
}

/** The last of them. */
export async function lastChecks(runs: RunPort, runId: string): Promise<CheckRecord | undefined> {
  return (await allChecks(runs, runId)).at(-1);
}

/** The commands that failed, for a message. */
export function failedCommands({ checks }: CheckRecord): string {
  return checks
    .filter(({ passed }) => !passed)
    .map(({ command, exitCode }) => `${command} (exit code ${exitCode})`)
    .join(', ');
}
