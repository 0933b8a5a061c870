import {
  type Agent,
  defineProgram,
  defineTool,
  isJsonObject,
  type JsonObject,
  type Judgement,
  type Output,
  type ToolContext,
} from '@forge/core';
import type * as z from 'zod';

export interface OneStepOptions<S extends z.ZodType> {
  readonly name: string;
  readonly taskType: string;
  readonly description: string;
  readonly input: S;
  readonly run: (input: z.infer<S>, context: ToolContext) => Promise<object>;
  readonly timeout?: number;
  readonly judge?: (output: Output) => Judgement;
}

/**
 * An agent without a model that does one thing: its input, as JSON, are the arguments of its one
 * tool, whose result is what it ends with. The tool runs again after a crash, so it has to be one
 * that may.
 */
export function oneStepProgram<S extends z.ZodType>(options: OneStepOptions<S>): Agent {
  const { name, taskType, description, input, run, timeout, judge } = options;
  const tool = defineTool({
    name,
    description,
    input,
    idempotent: true,
    ...(timeout !== undefined && { timeout }),
    run: async (args, context) => JSON.stringify(await run(args as z.infer<S>, context)),
  });
  return defineProgram({
    name,
    taskType,
    tools: [tool],
    ...(judge !== undefined && { judge }),
    program: ({ input: [first = ''], calls: [call] }) => {
      if (call === undefined) {
        const args = readArguments(first);
        return args === undefined
          ? { type: 'fail', explanation: `${name} was given no JSON object to work on.` }
          : { type: 'call', calls: [{ id: name, name, args }] };
      }
      switch (call.status) {
        case 'open':
          return { type: 'call', calls: [] };
        case 'ok':
          return { type: 'finish', output: call.text };
        case 'failed':
          return { type: 'fail', explanation: call.text };
      }
    },
  });
}

function readArguments(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
