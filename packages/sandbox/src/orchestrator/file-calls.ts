import { Readable } from 'node:stream';
import { ForgeError } from '@forge/core';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Containers } from './containers.ts';
import type { OrchestratorPolicy } from './policy.ts';
import { copyInSchema, copyOutSchema, readFileSchema, writeFileSchema } from './requests.ts';
import type { CallServer } from './serve-call.ts';
import { collect, takeParts } from './take-parts.ts';

const chunkBytes = 256 * 1024;

export function fileCalls({
  serve,
  containers,
  policy,
}: {
  readonly serve: CallServer;
  readonly containers: Containers;
  readonly policy: OrchestratorPolicy;
}): UntypedServiceImplementation {
  return {
    ReadFile: serve.stream(readFileSchema, async function* (request, context) {
      const { containerId, path, offset, limit } = request;
      if (limit !== undefined && limit > policy.fileBytes) {
        const text = `This orchestrator reads up to ${policy.fileBytes} bytes at once. Read ranges.`;
        throw new ForgeError('too_large', text);
      }
      const { bytes, size } = await containers.use(context, containerId, ({ sandbox }) =>
        sandbox.readFile(path, { offset, ...(limit !== undefined && { limit }) }),
      );
      yield { size, bytes: bytes.subarray(0, chunkBytes) };
      for (let at = chunkBytes; at < bytes.length; at += chunkBytes) {
        yield { bytes: bytes.subarray(at, at + chunkBytes) };
      }
    }),

    WriteFile: serve.upload(writeFileSchema, async (messages, context) => {
      const { head, body } = await takeParts(messages, {
        first: (message) => (message.part === 'target' ? message.target : undefined),
        rest: (message) => (message.part === 'bytes' ? message.bytes : undefined),
        maxBytes: policy.fileBytes,
      });
      const { containerId, path, mode } = head;
      await containers.use(context, containerId, async ({ sandbox }) => {
        const content = await collect(body);
        await sandbox.writeFile(path, content, mode === undefined ? {} : { mode });
      });
      return {};
    }),

    CopyIn: serve.upload(copyInSchema, async (messages, context) => {
      const { head, body } = await takeParts(messages, {
        first: (message) => (message.part === 'target' ? message.target : undefined),
        rest: (message) => (message.part === 'bytes' ? message.bytes : undefined),
        // What it unpacks to is held by the limit of the container; its headers come on top.
        maxBytes: policy.limits.diskBytes * 2,
      });
      await containers.use(context, head.containerId, ({ sandbox }) =>
        sandbox.copyIn(head.folder, Readable.from(body, { objectMode: false })),
      );
      return {};
    }),

    CopyOut: serve.stream(copyOutSchema, async function* ({ containerId, path }, context) {
      const release = containers.hold(context, containerId);
      try {
        const tar: AsyncIterable<Uint8Array> = await release.container.sandbox.copyOut(path);
        for await (const bytes of tar) yield { bytes };
      } finally {
        release();
      }
    }),
  };
}
