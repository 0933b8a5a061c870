import type { Message, ToolCallPart, ToolResultPart } from '../messages/message.ts';

export type Provider = 'openai' | 'anthropic' | 'gemini';

/**
 * What a provider would refuse about the order and pairing of messages; nothing in a good list. For
 * tests of everything that makes or changes a list of messages. Clients translate these messages;
 * the rules are applied to what that translation yields.
 */
export function pairingViolations(provider: Provider, messages: readonly Message[]): string[] {
  switch (provider) {
    case 'openai':
      return openaiViolations(messages);
    case 'anthropic':
      return anthropicViolations(messages);
    case 'gemini':
      return geminiViolations(messages);
    default:
      return provider satisfies never;
  }
}

/** Each tool message answers a call of the reply it directly follows; each call is answered once. */
function openaiViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  let waiting: string[] = [];
  messages.forEach((message, at) => {
    if (message.role !== 'tool') {
      for (const id of waiting) found.push(`call ${id} has no result before message ${at}`);
      waiting = callsIn(message).map(({ id }) => id);
      if (message.role === 'assistant' && message.content.length === 0) {
        found.push(`message ${at} is an empty reply`);
      }
      return;
    }
    for (const { callId } of message.content) {
      const index = waiting.indexOf(callId);
      if (index < 0) found.push(`result ${callId} in message ${at} answers no call before it`);
      else waiting.splice(index, 1);
    }
  });
  for (const id of waiting) found.push(`call ${id} has no result`);
  return found;
}

interface Turn {
  readonly speaker: 'user' | 'model';
  readonly parts: Message['content'][number][];
}

/**
 * The conversation as two speakers, neighbours merged: results are said by the user. The system
 * prompt stands outside.
 */
function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    if (role === 'system') continue;
    const speaker = role === 'assistant' ? 'model' : 'user';
    const last = turns.at(-1);
    if (last?.speaker === speaker) last.parts.push(...content);
    else turns.push({ speaker, parts: [...content] });
  }
  return turns;
}

/**
 * The user speaks first; call ids are unique; all results of a reply's calls come first in the very
 * next user turn, and none elsewhere.
 */
function anthropicViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  const turns = turnsOf(messages);
  if (turns[0]?.speaker === 'model') found.push('the first turn is not the user’s');
  const ids = new Set<string>();
  turns.forEach(({ speaker, parts }, at) => {
    if (parts.length === 0) found.push(`turn ${at} is empty`);
    if (speaker === 'model') {
      for (const { id } of parts.filter(isCall)) {
        if (ids.has(id)) found.push(`call id ${id} is used twice`);
        ids.add(id);
      }
      if (at === turns.length - 1 && parts.some(isCall))
        found.push('the last calls have no results');
      return;
    }
    const called = (turns[at - 1]?.parts ?? []).filter(isCall).map(({ id }) => id);
    const results = parts.filter(isResult);
    const firstOther = parts.findIndex((part) => !isResult(part));
    if (firstOther >= 0 && firstOther < results.length) {
      found.push(`turn ${at} has results after other content`);
    }
    if (
      !sameMembers(
        called,
        results.map(({ callId }) => callId),
      )
    ) {
      found.push(`the results of turn ${at} are not those of the calls before it`);
    }
  });
  return found;
}

/**
 * Calls come directly after the user or after results; the next turn holds as many responses as
 * there were calls, by the same names in the same order.
 */
function geminiViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  const turns = turnsOf(messages);
  turns.forEach(({ speaker, parts }, at) => {
    if (speaker === 'model') {
      if (at === 0 && parts.some(isCall)) found.push('calls come before anybody spoke');
      if (at === turns.length - 1 && parts.some(isCall))
        found.push('the last calls have no results');
      return;
    }
    const called = (turns[at - 1]?.parts ?? []).filter(isCall).map(({ name }) => name);
    const answered = parts.filter(isResult).map(({ name }) => name);
    if (called.length !== answered.length || called.some((name, i) => name !== answered[i])) {
      found.push(`turn ${at} answers [${answered.join()}] where [${called.join()}] was called`);
    }
  });
  return found;
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  const sorted = [...other].sort();
  return one.length === other.length && [...one].sort().every((id, at) => id === sorted[at]);
}

function callsIn(message: Message): readonly ToolCallPart[] {
  return message.role === 'assistant' ? message.content.filter((part) => isCall(part)) : [];
}

function isCall(part: Message['content'][number]): part is ToolCallPart {
  return part.type === 'tool_call';
}

function isResult(part: Message['content'][number]): part is ToolResultPart {
  return part.type === 'tool_result';
}
