import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, type Message, type Model, type ModelReply, textOf } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import { readTask, type Task } from './task.ts';

/**
 * A model without memory: what it says follows from the request alone, so that any worker can ask
 * it. In a task it makes the calls of the next turn; in a conversation it repeats what is new.
 */
export const chaosModel: Model = {
  id: 'chaos',
  async complete({ messages }, { signal }) {
    // Long enough to be killed in.
    await pause(5 + ((messages.length * 7) % 20), undefined, { signal });
    return replyTo(messages);
  },
};

export function replyTo(messages: readonly Message[]): ModelReply {
  const said = messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
  const task = readTask(said[0] ?? '');
  if (task === undefined) return says(sinceLastReply(messages).join(' '));
  const turn = messages.filter(
    ({ role, content }) => role === 'assistant' && content.some(({ type }) => type === 'tool_call'),
  ).length;
  const tools = task.turns[turn];
  if (tools === undefined) return says('Done.');
  return calls(
    ...tools.map(
      (tool, at) => [tool, argsFor(task, { tool, turn, at }), idOf(task, { turn, at })] as const,
    ),
  );
}

function sinceLastReply(messages: readonly Message[]): readonly string[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const since = messages.slice(last + 1);
  return since.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
}

function idOf({ reusesIds }: Task, { turn, at }: { turn: number; at: number }): string {
  return reusesIds ? `call_${at}` : `call_${turn}_${at}`;
}

function argsFor(
  { name }: Task,
  { tool, turn, at }: { tool: string; turn: number; at: number },
): JsonObject {
  if (tool !== 'delegate') return { n: turn * 10 + at };
  const child: Task = { name: `${name}/child`, turns: [['pay'], ['note']], reusesIds: false };
  return { task: JSON.stringify(child) };
}
