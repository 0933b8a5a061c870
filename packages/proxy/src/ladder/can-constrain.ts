import type { WireRequest } from '@forge/models';

/**
 * Whether holding the reply to the shape of a call takes nothing away that the client asked for:
 * tools the server runs itself cannot be called in that shape, and an answer in it is plain text.
 */
export function canConstrain({ tools, toolChoice, responseFormat, extra }: WireRequest): boolean {
  if (tools.length === 0 || toolChoice === 'none') return false;
  if (isOffered(extra.tools) || isOffered(extra.server_tools)) return false;
  if (extra.tool_choice !== undefined) return false; // A choice in words that only this wire has.
  if (typeof toolChoice === 'object') return tools.some(({ name }) => name === toolChoice.tool);
  if (toolChoice === 'required') return true;
  return responseFormat === undefined && extra.response_format === undefined;
}

function isOffered(others: unknown): boolean {
  return Array.isArray(others) && others.length > 0;
}
