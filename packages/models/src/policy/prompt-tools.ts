import {
  type AssistantMessage,
  type Message,
  type ModelRequest,
  type SystemMessage,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  text,
  type UserMessage,
} from '@forge/core';
import { type CallForm, toolPrompt } from './tool-prompt.ts';

/**
 * The same request for a model that knows no native tools: they are described in the
 * instructions, and earlier calls and results become text in the form that is taught there. The
 * calls in the reply are text, which the kernel's rescue reads.
 */
export function promptTools(request: ModelRequest, form: CallForm = 'tags'): ModelRequest {
  const { tools, toolChoice } = request;
  const messages = mergeUserTurns(request.messages.map((message) => toText(message, form)));
  const offered = tools.length > 0 && toolChoice !== 'none';
  return {
    messages: offered ? instruct(messages, toolPrompt(tools, toolChoice, form)) : messages,
    tools: [],
    toolChoice: 'auto',
  };
}

function instruct(messages: readonly Message[], prompt: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') {
    const system: SystemMessage = { role: 'system', content: [text(prompt)] };
    return [system, ...messages];
  }
  return [{ ...first, content: [...first.content, text(`\n\n${prompt}`)] }, ...rest];
}

type TextTurn = { readonly message: Message; readonly wasResult: boolean };

function toText(message: Message, form: CallForm): TextTurn {
  switch (message.role) {
    case 'tool':
      return { message: resultsToText(message), wasResult: true };
    case 'assistant':
      return { message: callsToText(message, form), wasResult: false };
    case 'system':
    case 'user':
      return { message, wasResult: false };
    default:
      return message satisfies never;
  }
}

function callsToText(message: AssistantMessage, form: CallForm): AssistantMessage {
  if (!message.content.some((part) => part.type === 'tool_call')) return message;
  const content = message.content.map((part) =>
    part.type === 'tool_call' ? text(writeCall(part, form)) : part,
  );
  return { ...message, content };
}

function writeCall({ name, args, argsText }: ToolCallPart, form: CallForm): string {
  const written = argsText ?? (typeof args === 'string' ? args : JSON.stringify(args));
  const call = `{"name": ${JSON.stringify(name)}, "arguments": ${written}}`;
  return form === 'tags' ? `<tool_call>\n${call}\n</tool_call>\n` : `{"next": ${call}}\n`;
}

function resultsToText(message: ToolMessage): UserMessage {
  return { role: 'user', content: message.content.flatMap(writeResult) };
}

function writeResult({ name, content, isError }: ToolResultPart): UserMessage['content'] {
  const head = `<tool_response name=${JSON.stringify(name)}${isError ? ' error="true"' : ''}>\n`;
  return [text(head), ...content, text('\n</tool_response>\n')];
}

/** Many chat templates want user and assistant in turns: results and what follows them are one. */
function mergeUserTurns(turns: readonly TextTurn[]): Message[] {
  const merged: Message[] = [];
  let open: UserMessage | undefined;
  for (const { message, wasResult } of turns) {
    if (message.role === 'user' && open !== undefined) {
      open.content.push(...message.content);
      continue;
    }
    open = message.role === 'user' && wasResult ? { ...message } : undefined;
    merged.push(open ?? message);
  }
  return merged;
}
