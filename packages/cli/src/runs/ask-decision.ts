import { ForgeError, isJsonObject, type JsonObject, type JsonValue, messageOf } from '@forge/core';
import type { ApprovalDecision, ApprovalView } from '@forge/runtime';
import type { Questions } from '../questions.ts';

export type Asked = ApprovalDecision | 'later';

/** Asks a person about one approval. What it is about has been shown. */
export async function askDecision(view: ApprovalView, questions: Questions): Promise<Asked> {
  const { id, actions } = view;
  if (actions.includes('answer')) return answer(view, questions);
  const edits = actions.includes('edit');
  const words = `yes, no${edits ? ', edit' : ''}, later`;
  const reply = await questions.text(`Run it? (${words})`, {
    check: (said) =>
      (edits ? /^(y|yes|n|no|e|edit|l|later)$/i : /^(y|yes|n|no|l|later)$/i).test(said)
        ? undefined
        : `Answer with one of: ${words}.`,
  });
  switch (reply[0]?.toLowerCase()) {
    case 'y':
      return { id, action: 'approve' };
    case 'e':
      return { id, action: 'approve', args: await edited(view.effective, questions) };
    case 'n': {
      const reason = await questions.text('Why not? The agent sees it.', { usual: '-' });
      return { id, action: 'deny', ...(reason !== '-' && { reason }) };
    }
    default:
      return 'later';
  }
}

async function edited(args: JsonObject, questions: Questions): Promise<JsonObject> {
  const text = await questions.text('The arguments to run with, as JSON:', {
    usual: JSON.stringify(args),
    check: (said) => {
      try {
        readArguments(said);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  });
  return readArguments(text);
}

/** Arguments from a command line. */
export function readArguments(text: string): JsonObject {
  const value = readJson(text);
  if (isJsonObject(value)) return value;
  throw new ForgeError(
    'invalid_options',
    'Arguments are a JSON object, such as {"command": "git status"}.',
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ForgeError('invalid_options', `That is no JSON: ${messageOf(error)}`);
  }
}

async function answer(view: ApprovalView, questions: Questions): Promise<Asked> {
  const { id, question } = view;
  if (question?.kind === 'choice') {
    const at = await questions.choice('Which?', question.choices);
    return { id, action: 'answer', value: question.choices[at] ?? '' };
  }
  const reply = await questions.text('Your answer ("later" to leave it):', { usual: 'later' });
  if (reply === 'later') return 'later';
  return { id, action: 'answer', value: toValue(reply, question?.kind === 'value') };
}

/** A value is JSON; what is no JSON is meant as text. */
function toValue(reply: string, isValue: boolean): JsonValue {
  if (!isValue) return reply;
  try {
    return JSON.parse(reply);
  } catch {
    return reply;
  }
}
