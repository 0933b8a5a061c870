import type { LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolCallPart,
} from '../messages/message.ts';
import { textOf } from '../messages/message.ts';

type AssistantContent = Extract<LanguageModelV4Prompt[number], { role: 'assistant' }>['content'];

/** A refused reply and its nudges, as messages for the next try. */
export function promptFromMessages(messages: readonly Message[]): LanguageModelV4Prompt {
  return messages.flatMap((message): LanguageModelV4Prompt => {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: textOf(message) }];
      case 'user':
        return [{ role: 'user', content: [{ type: 'text', text: textOf(message) }] }];
      case 'assistant': {
        const content = message.content.flatMap((part): AssistantContent => {
          if (part.type === 'tool_call') {
            const { id, name, args } = part;
            return [{ type: 'tool-call', toolCallId: id, toolName: name, input: args }];
          }
          return part.type === 'text' && part.text !== ''
            ? [{ type: 'text', text: part.text }]
            : [];
        });
        return content.length === 0 ? [] : [{ role: 'assistant', content }];
      }
      case 'tool':
        return [
          {
            role: 'tool',
            content: message.content.map((part) => ({
              type: 'tool-result' as const,
              toolCallId: part.callId,
              toolName: part.name,
              output: { type: 'error-text' as const, value: textOf(part) },
            })),
          },
        ];
      default:
        return message satisfies never;
    }
  });
}

/** A guarded message as content: what the provider sent beside it stays, in front. */
export function contentFromMessage(
  message: AssistantMessage,
  original: readonly LanguageModelV4Content[],
): LanguageModelV4Content[] {
  const kept = original.filter((part) => !isGuarded(part));
  return [...kept, ...message.content.flatMap((part) => contentOf(part, original))];
}

function isGuarded(part: LanguageModelV4Content): boolean {
  return part.type === 'text' || part.type === 'reasoning' || isClientCall(part);
}

/** A call that is for the caller to run. */
export function isClientCall(part: LanguageModelV4Content): boolean {
  return part.type === 'tool-call' && !part.providerExecuted;
}

function contentOf(
  part: AssistantPart,
  original: readonly LanguageModelV4Content[],
): LanguageModelV4Content[] {
  if (part.type === 'opaque') return [];
  if (part.type === 'tool_call') return [callContent(part, original)];
  // Signatures ride on provider metadata: the same words are the same part.
  const same = original.find((one) => one.type === part.type && one.text === part.text);
  return [same ?? { type: part.type, text: part.text }];
}

function callContent(
  part: ToolCallPart,
  original: readonly LanguageModelV4Content[],
): LanguageModelV4Content {
  const same = original.find((one) => one.type === 'tool-call' && one.toolCallId === part.id);
  return {
    ...(same?.type === 'tool-call' ? same : {}),
    type: 'tool-call',
    toolCallId: part.id,
    toolName: part.name,
    input: part.argsText ?? JSON.stringify(part.args),
  };
}
