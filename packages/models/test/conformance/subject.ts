import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Message, ModelReply, ModelRequest, ToolCallPart } from '@forge/core';
import { userMessage } from '@forge/core';
import { createTransport } from '../../src/client/index.ts';
import {
  type CreateModelOptions,
  createModel,
  type Profile,
  type ProviderName,
} from '../../src/create-model/index.ts';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '../../src/testing/index.ts';
import { wires } from '../../src/wire/index.ts';
import { ModelError } from '../../src/wire/model-error.ts';
import type { Wire } from '../../src/wire/wire.ts';
import type { WireErrorKind } from '../../src/wire/wire-error.ts';

/** One kind of client under test, and the wire it speaks. */
export interface Subject {
  readonly provider: ProviderName;
  readonly profile: Profile;
  readonly wire: Wire;
}

export const key = 'key-0123456789';

/** A model of the subject in front of a server that plays the script. */
export async function connect(
  t: TestContext,
  { provider, wire }: Subject,
  script: ScriptedServerOptions['script'],
  options: CreateModelOptions & { contextLength?: number } = {},
) {
  const { contextLength, ...modelOptions } = options;
  const server = await startScriptedServer({ wire: wires[wire.name], script, contextLength });
  const transport = createTransport();
  t.after(async () => {
    await transport.destroy();
    await server.close();
  });
  const model = createModel(`${provider}:${server.url}#tiny`, {
    apiKey: key,
    retry: false,
    transport,
    ...modelOptions,
  });
  return { model, server };
}

/** A signal nobody aborts. */
export const { signal } = new AbortController();

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};

export const forecast = { name: 'get_forecast', description: 'The weather of a city', inputSchema };
const ping = { name: 'ping', description: 'Ping', inputSchema: { type: 'object', properties: {} } };

export function asking(...messages: readonly Message[]): ModelRequest {
  return {
    messages: messages.length > 0 ? messages : [userMessage('What is the weather?')],
    tools: [forecast, ping],
    toolChoice: 'auto',
  };
}

export const callsIn = ({ content }: Pick<ModelReply, 'content'>): ToolCallPart[] =>
  content.filter((part) => part.type === 'tool_call');

export const reasoningIn = ({ content }: Pick<ModelReply, 'content'>): string =>
  content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');

/** Arguments as a value, whether the wire gives text or an object. */
export function argsOf({ args }: ToolCallPart): unknown {
  return typeof args === 'string' ? JSON.parse(args) : args;
}

/** The reply as a whole and as a stream, which have to be the same. */
export const ways = [
  { way: 'whole', listen: {} },
  { way: 'streamed', listen: { onDelta: () => {} } },
] as const;

export function failsWith(kind: WireErrorKind, says = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof ModelError, `not a ModelError: ${error}`);
    assert.equal(error.kind, kind, `${error.kind}: ${error.message}`);
    assert.match(error.message, says);
    return true;
  };
}

export function lastRequest(server: ScriptedServer) {
  const request = server.requests.at(-1);
  assert.ok(request, 'no request could be read');
  return request;
}
