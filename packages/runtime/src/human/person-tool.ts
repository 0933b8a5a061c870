import { isJsonObject, type JsonObject, type JsonSchema, type Tool } from '@forge/core';
import * as z from 'zod';
import { askInput } from './ask-input.ts';
import type { Question } from './question.ts';

/** A tool that a person answers, and what their answer has to be. */
export interface PersonTool extends Tool {
  readonly person: {
    readonly asks: 'answer' | 'approval';
    /** JSON Schema of the answer. Without it the call says what it has to be. */
    readonly answer?: JsonSchema;
  };
}

/** What a call of such a tool asks. A tool that says nothing of it wants a text. */
export function questionOf(tool: Tool, args: JsonObject): Question {
  const person = isPersonTool(tool) ? tool.person : { asks: 'answer' as const };
  const read = askInput.safeParse(args);
  const {
    format = 'free_text',
    choices = [],
    ...asked
  } = read.success ? read.data : { question: tool.spec.description };
  if (person.asks === 'approval') return { kind: 'request', ...asked };
  if (person.answer !== undefined)
    return { kind: 'value', ...asked, schema: toJson(person.answer) };
  return format === 'choice' ? { kind: format, ...asked, choices } : { kind: format, ...asked };
}

function isPersonTool(tool: Tool): tool is PersonTool {
  return 'person' in tool && isJsonObject(tool.person);
}

const jsonSchema = z.union([z.boolean(), z.record(z.string(), z.json())]);

/** A schema made in code may hold what JSON cannot say, which the store could not keep. */
function toJson(schema: JsonSchema) {
  return jsonSchema.parse(JSON.parse(JSON.stringify(schema)));
}
