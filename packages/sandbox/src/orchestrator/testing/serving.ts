import assert from 'node:assert/strict';
import { ForgeError } from '@forge/core';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { z } from 'zod';
import { createProcessBackend } from '../../process/create-process-backend.ts';
import { createRemoteBackend } from '../../remote/create-remote-backend.ts';
import { OrchestratorClient } from '../../remote/orchestrator-client.ts';
import { loadProto } from '../load-proto.ts';
import { type OrchestratorOptions, startOrchestrator } from '../start-orchestrator.ts';

export const token = 'a token that only tests know';
export const anything = z.record(z.string(), z.unknown());

/** An orchestrator for one test, with all it takes to end it. */
export async function serving(options: Partial<OrchestratorOptions> = {}) {
  const backend = options.backend ?? createProcessBackend({ trusted: true });
  const orchestrator = await startOrchestrator({
    listen: '127.0.0.1:0',
    token,
    ...options,
    backend,
  });
  const { address } = orchestrator;
  const closers: (() => Promise<void> | void)[] = [];
  return {
    backend,
    orchestrator,
    address,
    client: (session = 'session-of-a-test', own = token) => {
      const client = new OrchestratorClient({ address, token: own }, session);
      closers.push(() => client.close());
      return client;
    },
    remote: (more = {}) => {
      const remote = createRemoteBackend({ address, token, ...more });
      closers.push(() => remote.close());
      return remote;
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closers) await close();
      await orchestrator.close({ graceMs: 0 });
      await backend.close();
    },
  };
}

export const quick = { schema: anything, timeoutMs: 30_000 };

export async function create(client: OrchestratorClient, more: object = {}): Promise<string> {
  const answer = await client.ask('CreateContainer', more, quick);
  return z.string().parse(answer.containerId);
}

export function isCode(code: Parameters<typeof ForgeError.is>[1]) {
  return (error: unknown) => ForgeError.is(error, code);
}

/** The status a call ended with. */
export async function statusOfCall(address: string, name: string, request: object, metadata = {}) {
  const method = loadProto().orchestrator[name];
  assert.ok(method);
  const client = new Client(address, credentials.createInsecure());
  const sent = new Metadata();
  for (const [key, value] of Object.entries(metadata)) sent.set(key, String(value));
  try {
    return await new Promise<number>((resolve) => {
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        sent,
        (error) => resolve(error?.code ?? status.OK),
      );
    });
  } finally {
    client.close();
  }
}
