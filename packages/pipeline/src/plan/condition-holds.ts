import { canonicalJson } from '@forge/core';
import type { Condition } from '../definition/pipeline-schema.ts';
import { type Lookup, resolveRef } from './resolve-ref.ts';

/** What is not there is nothing: it is no value, and not in any list. */
export function conditionHolds(condition: Condition | undefined, lookup: Lookup): boolean {
  if (condition === undefined) return true;
  if ('all' in condition) return condition.all.every((inner) => conditionHolds(inner, lookup));
  if ('any' in condition) return condition.any.some((inner) => conditionHolds(inner, lookup));
  const value = resolveRef(condition.ref, lookup);
  const is = (other: unknown) =>
    value !== undefined && canonicalJson(value) === canonicalJson(other);
  if (condition.is !== undefined && !is(condition.is)) return false;
  if (condition.not !== undefined && is(condition.not)) return false;
  if (condition.in !== undefined && !condition.in.some(is)) return false;
  return condition.exists === undefined || condition.exists === (value !== undefined);
}
