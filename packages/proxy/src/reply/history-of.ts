import { isJsonObject, type Message } from '@forge/core';
import { ModelError, type Wire } from '@forge/models';
import type { Peek } from '../request/peek-request.ts';
import { skipSpace, skipValue } from '../request/skip-json.ts';

const historyKeys = ['messages', 'input', 'contents'] as const;
const instructionKeys = [
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
] as const;

/**
 * The messages of a request, without reading its tools, which are most of it. None where the wire
 * cannot read them: whether they will do is for the backend to say.
 */
export function historyOf(wire: Wire, peek: Peek): readonly Message[] {
  const key = historyKeys.find((name) => peek.span(name) !== undefined);
  if (key === undefined) return [];
  try {
    return wire.decodeRequest({ model: 'any', max_tokens: 1, [key]: peek.value(key) }).messages;
  } catch (error) {
    if (error instanceof ModelError) return [];
    throw error;
  }
}

/** The bytes of a conversation's instructions and of the first thing said in it. */
export function openingOf(bytes: Buffer, peek: Peek): string {
  const spans = instructionKeys.flatMap((key) => [peek.span(key) ?? []]);
  const said = spans.map(([start = 0, end = 0]) => bytes.toString('latin1', start, end));
  const key = historyKeys.find((name) => peek.span(name) !== undefined);
  const [start, end] = (key && peek.span(key)) ?? [0, 0];
  let at = skipSpace(bytes, start);
  if (bytes[at] !== OPEN) return [...said, bytes.toString('latin1', start, end)].join();
  at = skipSpace(bytes, at + 1);
  // Instructions may be messages too; the first message that is none is the last that counts.
  while (at < end && bytes[at] !== CLOSE) {
    const next = skipValue(bytes, at);
    if (next === -1) break;
    said.push(bytes.toString('latin1', at, next));
    if (!isInstruction(bytes.toString('utf8', at, next))) break;
    at = skipSpace(bytes, next);
    if (bytes[at] !== COMMA) break;
    at = skipSpace(bytes, at + 1);
  }
  return said.join();
}

function isInstruction(json: string): boolean {
  try {
    const message: unknown = JSON.parse(json);
    return isJsonObject(message) && (message.role === 'system' || message.role === 'developer');
  } catch {
    return false;
  }
}

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
