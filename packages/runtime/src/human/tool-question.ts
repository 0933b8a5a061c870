import type { PersonRequest } from '@forge/core';
import { folded } from './ask-input.ts';
import type { Question } from './question.ts';

/** What a running tool asks, in the plainest form that its schema allows. */
export function toolQuestion({ message, context, url, schema }: PersonRequest): Question {
  const asked = { question: message, ...(context !== undefined && { context }) };
  if (url !== undefined) return { kind: 'request', ...asked, url };
  if (schema === undefined) return { kind: 'free_text', ...asked };
  if (typeof schema === 'object') {
    if (schema.type === 'boolean') return { kind: 'yes_no', ...asked };
    const choices = choicesOf(schema);
    if (choices !== undefined) return { kind: 'choice', ...asked, choices };
  }
  return { kind: 'value', ...asked, schema };
}

/** The texts it has to be one of, if a person can tell them apart. */
function choicesOf({ type, enum: values }: { readonly [key: string]: unknown }) {
  if (type !== 'string' || !Array.isArray(values) || values.length === 0) return undefined;
  const choices = values.filter((value) => typeof value === 'string');
  const distinct = new Set(choices.map(folded)).size === values.length;
  return distinct ? choices : undefined;
}
