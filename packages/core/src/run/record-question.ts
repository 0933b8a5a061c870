import { ForgeError } from '../errors.ts';
import type { Happening } from '../kernel/events.ts';
import { type PersonAnswer, type PersonRequest, personAnswerSchema } from '../tools/ask-person.ts';
import type { QuestionRequest } from './run-types.ts';
import { untilAborted } from './until-aborted.ts';

/** Puts a question to the caller's function, with both its ends in the log. */
export async function recordQuestion({
  call,
  request,
  ask,
  append,
}: {
  readonly call: { readonly callId: string; readonly name: string };
  readonly request: PersonRequest;
  readonly ask: (request: QuestionRequest) => PersonAnswer | Promise<PersonAnswer>;
  /** Gives the number of the event. */
  readonly append: (happening: Happening) => number;
}): Promise<PersonAnswer> {
  const { signal, ...question } = request;
  const { callId } = call;
  const asked = append({ type: 'question.asked', ...call, ...question });
  try {
    const said = await untilAborted(async () => ask({ ...call, ...request }), signal);
    const answer = readAnswer(said);
    append({ type: 'question.closed', callId, asked, ...endOf(answer) });
    return answer;
  } catch (error) {
    append({ type: 'question.closed', callId, asked, outcome: 'withdrawn' });
    throw error;
  }
}

/** An answer that is none is the caller's bug. */
function readAnswer(said: unknown): PersonAnswer {
  const read = personAnswerSchema.safeParse(said);
  if (read.success) return read.data;
  throw new ForgeError(
    'invalid_options',
    "askPerson() must return { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }.",
  );
}

function endOf(answer: PersonAnswer) {
  switch (answer.action) {
    case 'accept':
      return {
        outcome: 'accepted' as const,
        ...(answer.content !== undefined && { answer: answer.content }),
      };
    case 'decline':
      return {
        outcome: 'declined' as const,
        ...(answer.reason !== undefined && { reason: answer.reason }),
      };
    case 'cancel':
      return { outcome: 'expired' as const };
    default:
      return answer satisfies never;
  }
}
