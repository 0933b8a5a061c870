import { ForgeError } from '../errors.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { formatPath } from '../schema/format-path.ts';
import {
  type AskPerson,
  type PersonAnswer,
  type PersonQuestion,
  type PersonRequest,
  personQuestionSchema,
} from '../tools/ask-person.ts';
import type { ToolTime } from './tool-time.ts';
import { untilAborted } from './until-aborted.ts';

/** Questions of one call: a tool that asks more, at a time or in all, is broken or worse. */
const mostOpen = 4;
const mostAsked = 100;
const longestQuestion = 50_000;

/**
 * How one call of a tool asks people: within bounds, checked both ways, while its time stands still.
 * What is still open at the `end` of the call is asked no longer.
 */
export function askForTool(
  ask: (request: PersonRequest) => Promise<PersonAnswer>,
  { signal, time }: { readonly signal: AbortSignal; readonly time: ToolTime },
): { readonly askPerson: AskPerson; readonly end: () => void } {
  const over = new AbortController();
  let open = 0;
  let asked = 0;
  let ended = false;
  const put: AskPerson = async (question) => {
    if (ended) throw hasEnded();
    if (open >= mostOpen || asked >= mostAsked) {
      throw new ForgeError(
        'limit_reached',
        `A call asks people up to ${mostOpen} questions at a time and ${mostAsked} in all.`,
      );
    }
    const wanted = toRequest(question, [signal, over.signal]);
    const form = compileSchema((wanted.url === undefined ? wanted.schema : undefined) ?? true);
    open += 1;
    asked += 1;
    try {
      const answer = await time.standStill(() => untilAborted(() => ask(wanted), wanted.signal));
      if (answer.action !== 'accept') return answer;
      const [issue] = form.issues(answer.content ?? null, 1);
      if (issue === undefined) return answer;
      throw new ForgeError(
        'invalid_options',
        `The person's answer does not fit: ${formatPath(issue.path)} ${issue.message}.`,
      );
    } finally {
      open -= 1;
    }
  };
  return {
    askPerson(question) {
      const answer = put(question);
      answer.catch(() => {}); // A tool that does not wait for it must not take the process with it.
      return answer;
    },
    end() {
      ended = true;
      // An error and an event cost more than a small tool.
      if (open > 0) over.abort(hasEnded());
    },
  };
}

function hasEnded(): ForgeError {
  return new ForgeError('cancelled', 'The call has ended.');
}

/** The question as JSON: a schema made in code may hold what JSON cannot say. */
function toRequest(
  { signal: own, ...question }: PersonQuestion,
  call: readonly AbortSignal[],
): PersonRequest {
  const json = JSON.stringify(question);
  if (json.length > longestQuestion) {
    throw new ForgeError(
      'too_large',
      `A question to a person has up to ${longestQuestion} characters, with its schema. This one has ${json.length}.`,
    );
  }
  const read = personQuestionSchema.safeParse(JSON.parse(json));
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ForgeError(
      'invalid_options',
      `This is no question: ${faults.join('; ')}. Give { message: 'What you want to know' }.`,
    );
  }
  return { ...read.data, signal: AbortSignal.any([...call, ...(own ? [own] : [])]) };
}
