import { describeRef } from './parse-ref.ts';
import type { Condition } from './pipeline-schema.ts';

/** In words, for drawings and messages: `review.verdict is "fail"`. */
export function describeCondition(condition: Condition): string {
  if ('all' in condition) return join(condition.all, ' and ');
  if ('any' in condition) return join(condition.any, ' or ');
  const words: string[] = [];
  if (condition.is !== undefined) words.push(`is ${JSON.stringify(condition.is)}`);
  if (condition.not !== undefined) words.push(`is not ${JSON.stringify(condition.not)}`);
  if (condition.in !== undefined) words.push(`is one of ${JSON.stringify(condition.in)}`);
  if (condition.exists !== undefined) words.push(condition.exists ? 'is there' : 'is not there');
  return `${describeRef(condition.ref)} ${words.join(' and ')}`;
}

function join(conditions: readonly Condition[], word: string): string {
  return conditions
    .map((inner) => {
      const text = describeCondition(inner);
      return 'ref' in inner || conditions.length === 1 ? text : `(${text})`;
    })
    .join(word);
}
