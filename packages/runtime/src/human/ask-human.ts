import { compileSchema, defineTool, type JsonSchema } from '@forge/core';
import { askInput, plainInput } from './ask-input.ts';
import type { PersonTool } from './person-tool.ts';

export interface AskHumanOptions {
  /** Default `ask_human`. */
  readonly name?: string;
  readonly description?: string;
  /** JSON Schema every answer has to fit. Without it the model says what it wants: text, yes or no, a choice. */
  readonly answer?: JsonSchema;
}

/**
 * A tool with which an agent asks a person something. The run waits, without a worker, until the
 * answer comes through {@link createApprovals}; it is checked before it is accepted, and the model
 * is told who answered and when.
 *
 * @example
 * defineAgent({ name: 'planner', tools: [askHuman()] });
 */
export function askHuman({
  name = 'ask_human',
  description = 'Asks a person a question and waits for the answer, which may take long. Ask only what you cannot find out yourself.',
  answer,
}: AskHumanOptions = {}): PersonTool {
  const options = { name, description, answeredBy: { type: 'person' as const } };
  if (answer === undefined) {
    return { ...defineTool({ ...options, input: askInput }), person: { asks: 'answer' } };
  }
  compileSchema(answer); // A schema that is none is an error now, not when somebody answers.
  return { ...defineTool({ ...options, input: plainInput }), person: { asks: 'answer', answer } };
}
