import {
  isJsonObject,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
  type ToolSpec,
  textOf,
  userMessage,
} from '@forge/core';
import { openaiChat, type Settings } from '@forge/models';
import { request as undici } from 'undici';
import type { CallTask } from './proxy-tasks.ts';

export interface Score {
  readonly tool: boolean;
  /** Only with the right tool. */
  readonly args: boolean;
  /** What came, for a person to read. */
  readonly said: string;
}

/** A request for one call, at temperature 0. */
export interface CallRequest extends ModelRequest {
  readonly settings: Settings;
}

export function requestFor(task: CallTask, tools: readonly ToolSpec[]): CallRequest {
  return {
    messages: [userMessage(task.ask)],
    tools,
    toolChoice: 'required',
    settings: { temperature: 0, maxTokens: 128 },
  };
}

/** Asks as any client of OpenAI's API would. */
export async function askOverHttp(
  url: string,
  request: CallRequest,
  signal: AbortSignal,
): Promise<ModelReply> {
  const body = openaiChat.encodeRequest({ model: 'test', ...request, stream: false, extra: {} });
  // A slow machine may take many minutes for its first byte, which is more than fetch waits.
  const { statusCode, body: received } = await undici(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    headersTimeout: 0,
    signal,
  });
  const words = await received.text();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${words}`);
  return openaiChat.decodeReply(JSON.parse(words));
}

export function scoreOf({ content }: ModelReply, task: CallTask): Score {
  const calls = content.filter((part) => part.type === 'tool_call');
  const [call] = calls;
  if (call === undefined || calls.length > 1) {
    const said = calls.length > 1 ? `${calls.length} calls` : `no call: ${textOf({ content })}`;
    return { tool: false, args: false, said: JSON.stringify(said.slice(0, 200)) };
  }
  const args = typeof call.args === 'string' ? parse(call.args) : call.args;
  const tool = call.name === task.tool;
  const said = `${call.name}(${JSON.stringify(args)})`;
  return { tool, args: tool && areRight(args, task.args), said };
}

/** The same names, and the same values but for case, spaces, and a number written as text. */
export function areRight(given: unknown, expected: CallTask['args']): boolean {
  if (!isJsonObject(given)) return false;
  const names = Object.keys(expected);
  if (Object.keys(given).length !== names.length) return false;
  return names.every((name) => plain(given[name]) === plain(expected[name]));
}

function plain(value: JsonValue | undefined): string {
  const words = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return words.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
