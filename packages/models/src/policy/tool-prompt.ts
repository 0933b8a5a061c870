import type { ToolChoice, ToolSpec } from '@forge/core';
import { describeTool } from './describe-tool.ts';

/** How the model is to write a call: between tags, or as the one JSON value the server allows. */
export type CallForm = 'tags' | 'json';

/** The tools as a part of the instructions, for models that are given none natively. */
export function toolPrompt(
  tools: readonly ToolSpec[],
  choice: ToolChoice,
  form: CallForm = 'tags',
): string {
  const parts =
    form === 'tags'
      ? [howToWriteTags, whatIsAsked(choice), ...tools.map(withSchema)]
      : [howToWriteJson(choice), whatIsAsked(choice), ...tools.map(describeTool)];
  return ['# Tools', ...parts].join('\n\n');
}

const howToWriteTags = `You can use the tools below. To call one, write its name and its arguments as JSON between tags, like this:

<tool_call>
{"name": "the_tool", "arguments": {"an_argument": "its value"}}
</tool_call>

Write one such block per call and nothing after the last one. The results come in the next message between <tool_response> tags. Never write those yourself.`;

function howToWriteJson(choice: ToolChoice): string {
  const answer = `

To answer instead:

{"next": {"answer": "your answer"}}`;
  return `You can use the tools below. Your whole reply is one JSON object. To call a tool:

{"next": {"name": "the_tool", "arguments": {"an_argument": "its value"}}}${choice === 'auto' ? answer : ''}

The results of a call come in the next message between <tool_response> tags.`;
}

function whatIsAsked(choice: ToolChoice): string {
  if (typeof choice === 'object') return `Your next reply must be a call to ${choice.tool}.`;
  return choice === 'required'
    ? 'Your next reply must be a tool call.'
    : 'If no tool is needed, answer the user.';
}

function withSchema({ name, description, inputSchema }: ToolSpec): string {
  return `## ${name}\n\n${description}\n\nArguments, as JSON Schema: ${JSON.stringify(inputSchema)}`;
}
