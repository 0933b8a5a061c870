import { type Message, type ToolMessage, text } from '../messages/message.ts';
import type { ContextEntry } from './entry.ts';
import { estimateMessageTokens } from './estimate-tokens.ts';
import { type CallSlot, pairCalls } from './pair-calls.ts';
import { type PendingCalls, pendingText } from './pending-calls.ts';
import { type ReasoningReplay, saysNothing, sentWindow } from './sent-window.ts';

export type { ReasoningReplay } from './sent-window.ts';

export interface RenderInput {
  readonly system: string;
  readonly window: readonly ContextEntry[];
  /** Calls that were accepted and have no result yet. */
  readonly pendingCalls?: PendingCalls;
  /** `none` unless told. */
  readonly reasoningReplay?: ReasoningReplay;
}

export interface RenderedContext {
  readonly messages: readonly Message[];
  /** Estimated and not calibrated; tool definitions are not in it. */
  readonly tokens: number;
}

/**
 * The messages to send. The system prompt comes first. Every call has exactly one result, in a
 * tool message of its own, directly after the reply that made it and in the order of the calls,
 * wherever in the window the result stands. A call without a result gets a placeholder, which
 * exists only here: once the result is there, it stands in the same place. Results without a call
 * and replies that say nothing are left out. Everything else keeps its order.
 */
export function renderContext(input: RenderInput): RenderedContext {
  const window = sentWindow(input.window, input.reasoningReplay);
  const { calls } = pairCalls(window);
  const messages: Message[] = [];
  if (input.system !== '') messages.push(systemMessage(input.system));

  window.forEach((entry, at) => {
    if (entry.message.role === 'tool' || saysNothing(entry.message)) return;
    messages.push(entry.message);
    for (const slot of calls.get(at) ?? []) {
      messages.push(resultOf(slot, window) ?? placeholder(slot, entry, input.pendingCalls));
    }
  });
  let tokens = 0;
  for (const message of messages) tokens += estimateMessageTokens(message);
  return { messages, tokens };
}

/** The same object for the same text, so that its tokens are counted once. */
function systemMessage(system: string): Message {
  let message = systemMessages.get(system);
  if (message === undefined) {
    message = { role: 'system', content: [text(system)] };
    if (systemMessages.size >= mostSystemMessages) systemMessages.clear();
    systemMessages.set(system, message);
  }
  return message;
}

const systemMessages = new Map<string, Message>();
const mostSystemMessages = 100;

/** The name is the call's own, because some providers match results by name. */
function resultOf(
  { call, answer }: CallSlot,
  window: readonly ContextEntry[],
): Message | undefined {
  if (answer === undefined) return undefined;
  const stored = window[answer.at]?.message;
  const asStored = answer.part.name === call.name && stored?.content.length === 1;
  if (stored !== undefined && asStored) return stored;
  return toolMessage({ ...answer.part, name: call.name });
}

function placeholder(
  { call }: CallSlot,
  { kind }: ContextEntry,
  pendingCalls: PendingCalls | undefined,
): ToolMessage {
  const pending = pendingCalls?.get(call.id);
  const words =
    kind === 'rejected'
      ? '[not run]'
      : pending === undefined
        ? '[no result was recorded for this call]'
        : pendingText(pending);
  return toolMessage({
    type: 'tool_result',
    callId: call.id,
    name: call.name,
    content: [text(words)],
  });
}

function toolMessage(part: ToolMessage['content'][number]): ToolMessage {
  return { role: 'tool', content: [part] };
}
