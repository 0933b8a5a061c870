import { type Guard, isJsonObject, type JsonObject, type Usage } from '@forge/core';

/** A reply that is right as it came: its calls, and what it used. */
export interface CleanReply {
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[];
  readonly usage: Usage | undefined;
}

/**
 * Looks at a chat completion the way most good ones are: one choice, native calls of known tools,
 * arguments that fit. Undefined for everything else, which then takes the long way; what this calls
 * clean the long way takes unchanged, unless it closes a loop.
 */
export function readCleanChat(
  body: unknown,
  guard: Guard,
  oneCall: boolean,
): CleanReply | undefined {
  if (!isJsonObject(body) || body.error !== undefined || !mayTakeAnyCall(guard)) return undefined;
  const { choices, usage } = body;
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  const [choice] = choices;
  if (!isJsonObject(choice) || choice.finish_reason !== 'tool_calls') return undefined;
  if (choice.error !== undefined) return undefined;
  const calls = readCalls(choice.message, guard);
  if (calls === undefined || (oneCall && calls.length > 1)) return undefined;
  return { calls, usage: readUsage(usage) };
}

/** No order to keep, and no tool ruled out. */
function mayTakeAnyCall({ toolChoice, rememberedTools, terminalTools, switches }: Guard): boolean {
  if (toolChoice === 'none' || typeof toolChoice === 'object' || !switches.arguments) return false;
  return rememberedTools.size === 0 && terminalTools.length === 0;
}

function readCalls(message: unknown, { tools, limits }: Guard): CleanReply['calls'] | undefined {
  if (!isJsonObject(message)) return undefined;
  const { tool_calls, content, function_call } = message;
  if (function_call != null || (content != null && typeof content !== 'string')) return undefined;
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) return undefined;
  if (tool_calls.length > limits.callsPerTurn) return undefined;
  const calls: { readonly name: string; readonly args: JsonObject }[] = [];
  const ids = new Set<string>();
  for (const call of tool_calls) {
    if (!isJsonObject(call) || typeof call.id !== 'string' || call.id === '') return undefined;
    if (call.type !== undefined && call.type !== 'function') return undefined;
    const { function: called } = call;
    if (!isJsonObject(called) || typeof called.name !== 'string') return undefined;
    const tool = tools.get(called.name);
    const args = parseArguments(called.arguments);
    if (tool === undefined || args === undefined || !tool.schema.accepts(args)) return undefined;
    calls.push({ name: called.name, args });
    ids.add(call.id);
  }
  return ids.size === calls.length ? calls : undefined;
}

function parseArguments(text: unknown): JsonObject | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const args: unknown = JSON.parse(text);
    return isJsonObject(args) ? args : undefined;
  } catch {
    return undefined; // The long way mends it, or asks again.
  }
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return { inputTokens, outputTokens };
}
