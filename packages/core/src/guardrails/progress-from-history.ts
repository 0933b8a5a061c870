import { isJsonObject, type JsonObject, type JsonValue, nestsTooDeep } from '../json.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../messages/message.ts';
import { textOf } from '../messages/message.ts';
import type { Guard } from './create-guard.ts';
import { factsOf } from './facts.ts';
import { type CallOutcome, freshProgress, noteBatch, type Progress } from './progress.ts';

/**
 * What a conversation shows of a run's progress: the steps done, and the turns that loop
 * detection looks at. For loops whose only memory is the history they send.
 */
export function progressFromHistory(guard: Guard, messages: readonly Message[]): Progress {
  let progress = freshProgress;
  let open: ToolCallPart[] = [];
  let results: ToolResultPart[] = [];
  const settle = () => {
    if (open.length > 0)
      progress = noteBatch(
        progress,
        open.map((call) => outcomeOf(guard, call, results)),
      );
    open = [];
    results = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') results.push(...message.content);
    else settle();
    if (message.role === 'assistant') {
      open = message.content.filter((part) => part.type === 'tool_call');
    }
  }
  settle();
  return progress;
}

function outcomeOf(
  guard: Guard,
  call: ToolCallPart,
  results: readonly ToolResultPart[],
): CallOutcome {
  const args = objectOf(call.args);
  const result = results.find((one) => one.callId === call.id);
  const outcome = result === undefined ? 'other' : result.isError ? 'error' : 'ok';
  const output = result === undefined ? '' : textOf(result);
  return { name: call.name, args, facts: factsOf(guard, call.name, args), outcome, output };
}

function objectOf(args: JsonValue): JsonObject {
  try {
    const parsed: unknown = typeof args === 'string' ? JSON.parse(args) : args;
    return isJsonObject(parsed) && !nestsTooDeep(parsed) ? parsed : {};
  } catch {
    return {}; // A malformed call in an old turn proves no step and matches no later call.
  }
}
