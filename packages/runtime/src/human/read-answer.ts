import { compileSchema, ForgeError, type JsonValue } from '@forge/core';
import * as z from 'zod';
import { folded } from './ask-input.ts';
import type { Question } from './question.ts';

const longestAnswer = 100_000;

/**
 * An answer as the question wants it: a text, true or false (or "yes", "no"), one of the choices, or
 * a value that fits the schema. `invalid_options` says what is wrong and what is wanted.
 */
export function readAnswer(question: Question, value: unknown): JsonValue {
  const json = z.json().safeParse(value);
  if (!json.success) throw invalid('The answer is nothing that JSON can say. Send text or data.');
  const answer = json.data;
  if (JSON.stringify(answer).length > longestAnswer) {
    throw invalid(`The answer is longer than ${longestAnswer} characters. Send a shorter one.`);
  }
  switch (question.kind) {
    case 'interrupted':
    case 'request':
      throw invalid('This wants a yes or no: approve or deny it.');
    case 'free_text':
      if (typeof answer === 'string' && answer.trim() !== '') return answer;
      throw invalid('The answer must be a text that says something.');
    case 'yes_no':
      return readYesNo(answer);
    case 'choice':
      return readChoice(question.choices, answer);
    case 'value': {
      const [issue] = compileSchema(question.schema).issues(answer, 1);
      if (issue === undefined) return answer;
      const where =
        issue.path.length === 0 ? 'The answer' : `At ${issue.path.join('.')} the answer`;
      throw invalid(`${where} ${issue.message}.`);
    }
    default:
      return question satisfies never;
  }
}

function readYesNo(answer: JsonValue): boolean {
  if (typeof answer === 'boolean') return answer;
  const word = typeof answer === 'string' ? folded(answer) : '';
  if (word === 'yes' || word === 'y' || word === 'true') return true;
  if (word === 'no' || word === 'n' || word === 'false') return false;
  throw invalid('The answer must be yes or no.');
}

function readChoice(choices: readonly string[], answer: JsonValue): string {
  const found = choices.find(
    (choice) => typeof answer === 'string' && folded(choice) === folded(answer),
  );
  if (found !== undefined) return found;
  throw invalid(`The answer must be one of: ${choices.join(', ')}.`);
}

function invalid(message: string): ForgeError {
  return new ForgeError('invalid_options', message);
}
