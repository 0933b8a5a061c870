import { messageOf } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ToolOutcome } from '../kernel/events.ts';
import { type ImagePart, type TextPart, text } from '../messages/message.ts';
import type { PersonAnswer, PersonRequest } from '../tools/ask-person.ts';
import type { Tool, ToolContext } from '../tools/define-tool.ts';
import { toContent } from '../tools/tool-output.ts';
import { ToolResolutionError } from '../tools/tool-resolution-error.ts';
import { askForTool } from './ask-for-tool.ts';
import { startToolTime } from './tool-time.ts';
import { untilAborted } from './until-aborted.ts';

export interface Performed {
  readonly outcome: ToolOutcome;
  readonly content: (TextPart | ImagePart)[];
}

/** What a driver gives a call. Its `askPerson` has to reject when the signal of the request aborts. */
export interface CallContext extends Omit<ToolContext, 'askPerson'> {
  readonly askPerson?: ((request: PersonRequest) => Promise<PersonAnswer>) | undefined;
}

const longestErrorText = 2_000;

/**
 * Runs a tool. Never rejects: a failure is a result the model can act on. When the run is
 * cancelled or the time is up it returns at once, even if the tool does not listen.
 */
export async function performTool(
  tool: Tool,
  args: JsonObject,
  { askPerson: ask, ...context }: CallContext,
): Promise<Performed> {
  const timeout = new AbortController();
  const time = startToolTime(tool.timeout, () => timeout.abort());
  // A composite signal costs more than all else here, and most tools have no time of their own.
  const signal =
    tool.timeout === undefined ? context.signal : AbortSignal.any([context.signal, timeout.signal]);
  const people = ask && askForTool(ask, { signal, time });
  const given = { ...context, ...(people && { askPerson: people.askPerson }), signal };
  try {
    const value = await untilAborted(async () => tool.run?.(args, given), signal);
    return { outcome: 'ok', content: toContent(value) };
  } catch (error) {
    if (context.signal.aborted) return { outcome: 'cancelled', content: [text('[Cancelled]')] };
    if (timeout.signal.aborted) {
      return failed(
        'error',
        `[ToolError] ${tool.spec.name} took longer than ${tool.timeout} ms and was stopped.`,
      );
    }
    if (ToolResolutionError.is(error))
      return failed('not_found', `[ToolResolutionError] ${error.message}`);
    const kind = error instanceof Error ? messageOf(error.name) : 'Error';
    return failed('error', `[ToolError] ${kind}: ${messageOf(error)}`);
  } finally {
    time.stop();
    people?.end();
  }
}

function failed(outcome: 'error' | 'not_found', said: string): Performed {
  const short = said.length > longestErrorText ? `${said.slice(0, longestErrorText)}…` : said;
  return { outcome, content: [text(short)] };
}
