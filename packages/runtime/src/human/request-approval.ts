import { defineTool } from '@forge/core';
import { plainInput } from './ask-input.ts';
import type { PersonTool } from './person-tool.ts';

/**
 * A tool with which an agent asks for a yes before it goes on with a plan. It holds nothing back:
 * a tool that must not run without a yes has `approval` itself, which no model can leave out.
 */
export function requestApproval({
  name = 'request_approval',
  description = 'Asks a person to say yes or no to what you are about to do, and waits. Say in the question exactly what you will do.',
}: {
  readonly name?: string;
  readonly description?: string;
} = {}): PersonTool {
  const tool = defineTool({ name, description, input: plainInput, answeredBy: { type: 'person' } });
  return { ...tool, person: { asks: 'approval' } };
}
