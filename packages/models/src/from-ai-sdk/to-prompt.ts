import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import {
  type AssistantPart,
  type ImagePart,
  isJsonObject,
  type Message,
  type TextPart,
  type ToolResultPart,
  textOf,
} from '@forge/core';

type Entry = LanguageModelV4Prompt[number];
type Content<Role extends Entry['role']> = Extract<Entry, { role: Role }>['content'];

/** The kernel's messages as a prompt of the AI SDK. Parts only another wire understands are left out. */
export function toPrompt(messages: readonly Message[]): LanguageModelV4Prompt {
  return messages.map((message): Entry => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: textOf(message) };
      case 'user':
        return { role: 'user', content: message.content.flatMap(userPart) };
      case 'assistant':
        return { role: 'assistant', content: message.content.flatMap(assistantPart) };
      case 'tool':
        return { role: 'tool', content: message.content.map(resultPart) };
      default:
        return message satisfies never;
    }
  });
}

function userPart(part: TextPart | ImagePart | { type: 'opaque' }): Content<'user'> {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  return part.type === 'image' ? [filePart(part)] : [];
}

function filePart({ mediaType, source }: ImagePart) {
  const data =
    'url' in source
      ? { type: 'url' as const, url: new URL(source.url) }
      : { type: 'data' as const, data: source.data };
  return { type: 'file' as const, mediaType, data };
}

function assistantPart(part: AssistantPart): Content<'assistant'> {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...optionsOf(part) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...optionsOf(part) }];
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.id,
          toolName: part.name,
          input: part.args,
          ...optionsOf(part),
        },
      ];
    case 'opaque':
      return [];
    default:
      return part satisfies never;
  }
}

function resultPart(part: ToolResultPart): Content<'tool'>[number] {
  const images = part.content.filter((one) => one.type === 'image');
  const words = textOf(part);
  const base = { type: 'tool-result' as const, toolCallId: part.callId, toolName: part.name };
  if (part.isError) return { ...base, output: { type: 'error-text', value: words } };
  if (images.length === 0) return { ...base, output: { type: 'text', value: words } };
  return {
    ...base,
    output: { type: 'content', value: [{ type: 'text', text: words }, ...images.map(filePart)] },
  };
}

function optionsOf(part: { provider?: Record<string, unknown> }): {
  providerOptions?: SharedV4ProviderOptions;
} {
  const kept = part.provider?.['ai-sdk'];
  // What the provider gave with the part, word for word.
  return isJsonObject(kept) ? { providerOptions: kept as SharedV4ProviderOptions } : {};
}
