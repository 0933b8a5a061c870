import * as z from 'zod';
import {
  type Acceptance,
  type HttpCheck,
  httpCheckSchema,
  type smokeTestSchema,
  type Verification,
} from '../../contracts.ts';
import type { RunPort } from '../ports.ts';
import { readRecord } from '../read-record.ts';

export const healthCheck = 'health_check';
export const smokeTest = 'smoke_test';

export const healthRecordSchema = z.object({ healthy: z.boolean(), report: z.string() });
export const smokeRecordSchema = z.object({
  acceptance: z.string(),
  /** With the request the plan itself gives. */
  planned: z.boolean(),
  passed: z.boolean(),
  request: httpCheckSchema,
  got: z.string(),
});
export type SmokeRecord = z.infer<typeof smokeRecordSchema>;

/** All that was seen of a deployment in one run. */
export interface Evidence {
  readonly health: z.infer<typeof healthRecordSchema> | undefined;
  /** Of each acceptance check, the last result of the plan's request and of the verifier's own. */
  readonly tests: readonly SmokeRecord[];
}

export async function readEvidence(runs: RunPort, runId: string): Promise<Evidence> {
  const health = (await runs.resultsOf(runId, healthCheck)).at(-1) ?? [];
  const last = new Map<string, SmokeRecord>();
  for (const texts of await runs.resultsOf(runId, smokeTest)) {
    const record = readRecord(smokeRecordSchema, texts);
    if (record !== undefined) last.set(`${record.acceptance} ${record.planned}`, record);
  }
  return { health: readRecord(healthRecordSchema, health), tests: [...last.values()] };
}

/** Acceptance checks that were not tested: with the plan's own request, where it gives one. */
export function untested(
  acceptance: readonly Acceptance[],
  { tests }: Evidence,
): readonly Acceptance[] {
  return acceptance.filter(
    ({ id, http }) =>
      !tests.some((test) => test.acceptance === id && (http === undefined || test.planned)),
  );
}

export interface Judged extends Pick<Verification, 'verdict' | 'healthy' | 'problems'> {
  readonly tests: z.infer<typeof smokeTestSchema>[];
}

/** The verdict, from what was seen and nothing else. */
export function judgeEvidence(acceptance: readonly Acceptance[], evidence: Evidence): Judged {
  const { health, tests } = evidence;
  const healthy = health?.healthy === true;
  const problems = [
    ...(healthy ? [] : [`The service is not healthy: ${health?.report ?? 'it was not asked'}`]),
    ...tests
      .filter(({ passed }) => !passed)
      .map(({ acceptance: id, request, got }) => {
        const what = acceptance.find((each) => each.id === id)?.description ?? id;
        return `${id}: ${what} ${describeCheck(request)}: ${got}`;
      }),
  ];
  return {
    verdict: problems.length === 0 ? 'pass' : 'fail',
    healthy,
    problems,
    tests: tests.map(({ planned: _, ...test }) => test),
  };
}

export function describeCheck({ method, path }: HttpCheck): string {
  return `[${method} ${path}]`;
}
