import {
  type AssistantMessage,
  type JsonValue,
  type Message,
  type ToolSpec,
  textOf,
  userMessage,
} from '@forge/core';
import { exampleArguments } from './example-arguments.ts';
import { MadeUpValues } from './made-up-values.ts';

export interface WorkedExamples {
  readonly messages: readonly Message[];
  /** Whether a value can only have come from the examples. */
  readonly isMadeUp: (value: unknown) => boolean;
}

export const noExamples: WorkedExamples = { messages: [], isMadeUp: () => false };

/** With more tools there are no examples: a tool that is not among them would hardly be chosen. */
const mostTools = 12;
const longestSummary = 160;

/**
 * One exchange per tool that shows what a request looks like and the call that answers it, made
 * from nothing but the tool. The request names every value of the call, so that what is shown is
 * copying, and none of them was said before, so that one copied into a real call is found.
 */
export function workedExamples(
  tools: readonly ToolSpec[],
  conversation: readonly Message[],
): WorkedExamples {
  if (tools.length > mostTools) return noExamples;
  const said = [...conversation.map(wordsOf), JSON.stringify(tools)].join('\n');
  const values = new MadeUpValues(said);
  const messages = tools.flatMap((tool, index): Message[] => {
    const args = exampleArguments(tool.inputSchema, values);
    if (args === undefined) return [];
    const wording = Object.entries(args).map(([name, value]) => `${spell(name)} ${show(value)}`);
    const call: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'tool_call', id: `example_${index + 1}`, name: tool.name, args }],
    };
    const asked = [summaryOf(tool), wording.join(', ')].filter((words) => words !== '');
    return [userMessage(`${asked.join(': ')}.`), call];
  });
  return { messages, isMadeUp: (value) => values.holds(value) };
}

function wordsOf(message: Message): string {
  if (message.role !== 'tool') return textOf(message);
  return message.content.map(textOf).join('\n');
}

/** The first sentence of the description, or the name where there is none. */
function summaryOf({ name, description }: ToolSpec): string {
  const [line = ''] = description.trim().split('\n', 1);
  const [sentence = ''] = line.split(/\.(?:\s|$)/, 1);
  return sentence === '' ? spell(name) : sentence.slice(0, longestSummary);
}

/** Without quotes: a model that sees them in every example takes what is quoted for any argument. */
function show(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `orderId` and `order_id` as people write them. */
function spell(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
}
