import type { Judgement, Outcome, Output } from '@forge/core';
import type * as z from 'zod';
import {
  deploymentSchema,
  reviewSchema,
  rollbackSchema,
  verificationSchema,
} from '../contracts.ts';

/** What the end of a run means for whoever learns from it. A review is about the work reviewed. */
export function judgeReview(output: Output): Judgement {
  return judged('review', reviewSchema, output, ({ verdict, findings }) => ({
    verdict: verdict === 'pass' ? 'success' : 'failure',
    note: `Of the work that was reviewed: ${verdict}, ${findings.length} findings.`,
  }));
}

export function judgeDeployment(output: Output): Judgement {
  return judged('deploy', deploymentSchema, output, ({ deploymentId, target }) => ({
    verdict: 'success',
    note: `${deploymentId} on ${target}`,
  }));
}

export function judgeVerification(output: Output): Judgement {
  return judged('verification', verificationSchema, output, ({ verdict, problems }) => ({
    verdict: verdict === 'pass' ? 'success' : 'failure',
    note: problems.length === 0 ? 'Everything holds.' : problems.join('; ').slice(0, 500),
  }));
}

export function judgeRollback(output: Output): Judgement {
  return judged('rollback', rollbackSchema, output, ({ status, reason }) => ({
    verdict: status === 'rolled_back' ? 'success' : 'partial',
    note: `${status}: ${reason.slice(0, 500)}`,
  }));
}

function judged<S extends z.ZodType>(
  kind: Outcome['kind'],
  schema: S,
  { text }: Output,
  judge: (value: z.infer<S>) => Omit<Judgement, 'kind'>,
): Judgement {
  const { data, success } = schema.safeParse(parsed(text));
  if (success) return { kind, ...judge(data) };
  return { kind, verdict: 'partial', note: 'It ended with something else than it should.' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
