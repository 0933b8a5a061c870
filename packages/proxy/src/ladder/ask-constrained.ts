import type { Message, ToolSpec } from '@forge/core';
import { constrainRequest, readConstrained, type WireRequest } from '@forge/models';
import type { Ask, RefusedReply } from './ask.ts';
import { copiedTools, withoutMadeUp } from './copied-call.ts';
import { saysMore } from './says-more.ts';
import { tell } from './tell.ts';
import { noExamples, workedExamples } from './worked-examples.ts';

/**
 * Asks for one call that the server holds to the tools' schemas. Where only a call will do and
 * the conversation shows none yet, it begins with worked examples made from the tools: a weak
 * model then picks the tool and copies the values far better (`docs/proxy.md` has the figures).
 *
 * A model that copied a value from an example found none in the request, so it had the wrong tool:
 * that one is left out of the next ask. Where no tool would be left, the examples are. Anything
 * else that goes wrong in spite of the shape is told, lest the same be asked twice.
 */
export function askConstrained(options: {
  readonly request: WireRequest;
  /** Refused before the shape was held, and while it was. */
  readonly before: readonly RefusedReply[];
  readonly since: readonly RefusedReply[];
}): Ask {
  const { request, before, since } = options;
  const { toolChoice, messages: said, responseFormat: _, parallelToolCalls: __, ...rest } = request;
  const wanted = wantedTools(request);
  const teaches = toolChoice !== 'auto' && !said.some(hasCalls);
  const copied = copiedTools(since);
  const names = new Set(copied.values());
  const left = wanted.filter(({ name }) => !names.has(name));
  const isAnyLeft = left.length > 0;
  const tools = isAnyLeft ? left : wanted;
  const examples = teaches && isAnyLeft ? workedExamples(tools, said) : noExamples;
  const news = [...before.filter(saysMore), ...since.filter((each) => !copied.has(each))];
  const messages = [...insertExamples(said, examples.messages), ...tell(news)];
  const asked = constrainRequest({ messages, tools, toolChoice });
  return {
    rung: 'constrained',
    request: { ...rest, ...asked.request, responseFormat: asked.responseFormat },
    read: (reply) => withoutMadeUp(readConstrained(reply, unnamed), tools, examples.isMadeUp),
  };
}

/** The guardrails name a call that has no id. */
const unnamed = () => '';

function wantedTools({ tools, toolChoice }: WireRequest): readonly ToolSpec[] {
  if (typeof toolChoice !== 'object') return tools;
  return tools.filter(({ name }) => name === toolChoice.tool);
}

function hasCalls({ role, content }: Message): boolean {
  return role === 'assistant' && content.some((part) => part.type === 'tool_call');
}

/** After the instructions, before anything that was really said. */
function insertExamples(said: readonly Message[], examples: readonly Message[]): Message[] {
  const first = said.findIndex(({ role }) => role !== 'system');
  const at = first === -1 ? said.length : first;
  return [...said.slice(0, at), ...examples, ...said.slice(at)];
}
