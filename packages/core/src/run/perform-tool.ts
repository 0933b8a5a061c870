import { messageOf } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ToolOutcome } from '../kernel/events.ts';
import { type ImagePart, type TextPart, text } from '../messages/message.ts';
import type { Tool, ToolContext } from '../tools/define-tool.ts';
import { toContent } from '../tools/tool-output.ts';
import { ToolResolutionError } from '../tools/tool-resolution-error.ts';
import { startTimer } from './start-timer.ts';
import { untilAborted } from './until-aborted.ts';

export interface Performed {
  readonly outcome: ToolOutcome;
  readonly content: (TextPart | ImagePart)[];
}

const longestErrorText = 2_000;

/**
 * Runs a tool. Never rejects: a failure is a result the model can act on. When the run is
 * cancelled or the time is up it returns at once, even if the tool does not listen.
 */
export async function performTool(
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
): Promise<Performed> {
  const timeout = new AbortController();
  const timer =
    tool.timeout === undefined ? undefined : startTimer(tool.timeout, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    const value = await untilAborted(async () => tool.run?.(args, { ...context, signal }), signal);
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
    clearTimeout(timer);
  }
}

function failed(outcome: 'error' | 'not_found', said: string): Performed {
  const short = said.length > longestErrorText ? `${said.slice(0, longestErrorText)}…` : said;
  return { outcome, content: [text(short)] };
}
