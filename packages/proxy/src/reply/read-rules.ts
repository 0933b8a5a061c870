import { externalTool, isJsonObject, type Tool, type ToolChoice } from '@forge/core';
import type { Wire, WireRequest } from '@forge/models';
import type { ProxySettings } from '../proxy-settings.ts';
import type { Peek } from '../request/peek-request.ts';
import type { ToolSets } from '../request/tool-sets.ts';
import { isRespond, respondTool } from '../turn/respond-tool.ts';
import { asksForSeveral, guardFor, noRules, type Rules } from '../turn/rules.ts';

/** What replies to a request are held to, read off its bytes as far as they tell. */
export function readRules({
  settings,
  toolSets,
  wire,
  bytes,
  peek,
  request,
}: {
  readonly settings: ProxySettings;
  readonly toolSets: ToolSets;
  readonly wire: Wire;
  readonly bytes: Buffer;
  readonly peek: Peek;
  readonly request: () => WireRequest;
}): { readonly rules: Rules; readonly tools: readonly unknown[] } {
  const offered = spanOf(peek, bytes, 'tools') ?? spanOfFunctions(wire, peek, bytes);
  const hasFormat = formatKeys.some((key) => spanOf(peek, bytes, key) !== undefined);
  if (offered === undefined && !hasFormat) return { rules: noRules, tools: [] };
  if (countKeys.some((key) => peek.span(key) !== undefined) && asksForSeveral(request())) {
    return { rules: noRules, tools: [] };
  }
  const format = hasFormat ? request().responseFormat : undefined;
  if (offered === undefined) return { rules: { ...noRules, format }, tools: [] };
  const set = toolSets.get(wire, bytes, offered);
  if (set.tools.length === 0) return { rules: { ...noRules, format }, tools: [] };
  const responds =
    settings.guard.respondTool === true &&
    !set.specs.some(isRespond) &&
    request().tools.some(isRespond);
  const make = (tools: readonly Tool[]) =>
    guardFor(withOthers(tools, set.others, responds), choiceOf(wire, peek), settings.guard);
  const key = choiceKey(peek, bytes);
  const guard = key === undefined ? make(set.tools) : set.guard(key, make);
  const oneCall = allowsOneCall(wire, peek);
  return { rules: { guard, oneCall, format, respondTool: responds }, tools: set.tools };
}

/** What has no schema of ours may still be called: whatever comes is the client's to judge. */
function withOthers(
  tools: readonly Tool[],
  others: ReadonlySet<string>,
  responds: boolean,
): readonly Tool[] {
  const more = Array.from(others, (name) =>
    externalTool({ name, description: '', inputSchema: { type: 'object' } }),
  );
  return [...tools, ...more, ...(responds ? [externalTool(respondTool)] : [])];
}

const choiceKeys = ['tool_choice', 'function_call', 'toolConfig', 'tool_config'] as const;

/** Without the history, of which the choice says nothing and which may be one only the backend reads. */
function choiceOf(wire: Wire, peek: Peek): ToolChoice {
  const said = ['tools', 'functions', ...choiceKeys].flatMap((key) => {
    const value = peek.value(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const least = { model: 'any', max_tokens: 1, messages: [], input: [], contents: [] };
  return wire.decodeRequest({ ...least, ...Object.fromEntries(said) }).toolChoice;
}

const longestChoice = 4_096;

/** The bytes of the choice. One longer than any choice is, is no key: keys are kept. */
function choiceKey(peek: Peek, bytes: Buffer): string | undefined {
  for (const key of choiceKeys) {
    const [start, end] = peek.span(key) ?? [];
    if (start === undefined || end === undefined) continue;
    return end - start > longestChoice ? undefined : bytes.toString('latin1', start, end);
  }
  return '';
}

function allowsOneCall(wire: Wire, peek: Peek): boolean {
  if (wire.name !== 'anthropic-messages') return peek.value('parallel_tool_calls') === false;
  const choice = peek.value('tool_choice');
  return isJsonObject(choice) && choice.disable_parallel_tool_use === true;
}

const formatKeys = [
  'response_format',
  'text',
  'output_format',
  'output_config',
  'format',
  'generationConfig',
  'generation_config',
] as const;

/** Where a request may say that it wants several replies. */
const countKeys = ['n', 'generationConfig', 'generation_config'] as const;

/** Tools as they were before they had types, which only this wire knows. */
function spanOfFunctions({ name }: Wire, peek: Peek, bytes: Buffer) {
  return name === 'openai-chat' ? spanOf(peek, bytes, 'functions') : undefined;
}

/** The span of a value that says something: not null, nor an empty list. */
function spanOf(peek: Peek, bytes: Buffer, key: string): readonly [number, number] | undefined {
  const span = peek.span(key);
  if (span === undefined) return undefined;
  const [start, end] = span;
  if (end - start > 16) return span;
  const said = bytes.toString('latin1', start, end).replace(/\s/g, '');
  return said === 'null' || said === '[]' || said === '{}' ? undefined : span;
}

/** Where plain text may turn out to be no good, none of it may go out before that is known. */
export function holdsAll({ guard, format, respondTool }: Rules): boolean {
  if (format !== undefined || respondTool) return true;
  if (guard === undefined) return false;
  const { toolChoice, requiredSteps, terminalTools } = guard;
  const wantsCall = toolChoice === 'required' || typeof toolChoice === 'object';
  return wantsCall || requiredSteps.length > 0 || terminalTools.length > 0;
}
