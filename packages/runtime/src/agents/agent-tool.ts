import { defineTool, type JsonObject, type JsonSchema, type Tool } from '@forge/core';

export interface AgentToolOptions {
  /** The agent that does the work. Some worker has to know it. */
  readonly agent: string;
  /** Default: the agent's name. */
  readonly name?: string;
  /** What it is good for, and what to tell it. */
  readonly description: string;
  /** The arguments. Default `{ task }`, whose words are the first the agent hears. */
  readonly input?: JsonSchema;
  /** Whether a person must say yes before it starts. */
  readonly approval?: boolean | ((args: JsonObject) => boolean);
}

const taskInput: JsonSchema = {
  type: 'object',
  properties: {
    task: {
      type: 'string',
      minLength: 1,
      description:
        'What is to be done, with everything needed for it: nothing else is known there.',
    },
  },
  required: ['task'],
  additionalProperties: false,
};

/**
 * An agent as a tool of another. A call starts a run of that agent, once, whatever crashes in
 * between; its answer becomes the result, its failure an error the model can act on, and what it
 * needs approved is asked for at the top run. It ends with the run that started it.
 *
 * @example
 * agentTool({ agent: 'researcher', description: 'Finds things out on the web.' });
 */
export function agentTool({
  agent,
  name = agent,
  description,
  input = taskInput,
  approval = false,
}: AgentToolOptions): Tool {
  return defineTool({ name, description, input, approval, answeredBy: { type: 'agent', agent } });
}
