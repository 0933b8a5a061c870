import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type { JsonValue } from '../json.ts';
import type { AssistantPart, Message, ToolResultPart } from '../messages/message.ts';
import { text } from '../messages/message.ts';
import type { FinishReason, ModelReply, ToolChoice, ToolSpec } from '../models.ts';

/** The parts of a reply that guardrails look at; anything else the provider sent is not theirs. */
export function replyFromAiSdk(
  result: Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason'>,
): ModelReply {
  return {
    content: result.content.flatMap(partFromAiSdk),
    finish: finishFromAiSdk(result.finishReason),
  };
}

function partFromAiSdk(part: LanguageModelV4Content): AssistantPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text }];
  if (part.type !== 'tool-call' || part.providerExecuted) return [];
  return [{ type: 'tool_call', id: part.toolCallId, name: part.toolName, args: part.input }];
}

export function finishFromAiSdk({ unified }: LanguageModelV4FinishReason): FinishReason {
  switch (unified) {
    case 'stop':
    case 'length':
      return unified;
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    default:
      return 'other';
  }
}

/**
 * The tools of a request. A provider's own tool may be one that the caller runs; what it takes is
 * between the two, so any object passes. A request with no others is none of our business.
 */
export function toolsFromAiSdk(tools: LanguageModelV4CallOptions['tools'] = []): ToolSpec[] {
  if (!tools.some((tool) => tool.type === 'function')) return [];
  return tools.map((tool) => {
    const { name } = tool;
    if (tool.type === 'provider') return { name, description: '', inputSchema: { type: 'object' } };
    const { description = '', inputSchema } = tool;
    return {
      name,
      description,
      inputSchema: typeof inputSchema === 'boolean' ? inputSchema : { ...inputSchema },
    };
  });
}

export function toolChoiceFromAiSdk(choice: LanguageModelV4CallOptions['toolChoice']): ToolChoice {
  if (choice === undefined) return 'auto';
  return choice.type === 'tool' ? { tool: choice.toolName } : choice.type;
}

/** The calls and results of a prompt, as far as progress is read from them. */
export function historyFromAiSdk(prompt: LanguageModelV4Prompt): Message[] {
  return prompt.map((message): Message => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: [text(message.content)] };
      case 'user':
        return { role: 'user', content: [] };
      case 'assistant':
        return {
          role: 'assistant',
          content: message.content.flatMap((part) =>
            part.type === 'tool-call'
              ? [
                  {
                    type: 'tool_call' as const,
                    id: part.toolCallId,
                    name: part.toolName,
                    // JSON by the provider's own contract.
                    args: part.input as JsonValue,
                  },
                ]
              : [],
          ),
        };
      case 'tool':
        return { role: 'tool', content: message.content.flatMap(resultFromAiSdk) };
      default:
        return message satisfies never;
    }
  });
}

type AiSdkToolPart = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'][number];

function resultFromAiSdk(part: AiSdkToolPart): ToolResultPart[] {
  if (part.type !== 'tool-result') return [];
  const { output } = part;
  const failed = ['error-text', 'error-json', 'execution-denied'].includes(output.type);
  const said = 'value' in output ? output.value : (output.reason ?? '');
  const result: ToolResultPart = {
    type: 'tool_result',
    callId: part.toolCallId,
    name: part.toolName,
    content: [text(typeof said === 'string' ? said : JSON.stringify(said))],
  };
  return [failed ? { ...result, isError: true } : result];
}
