import { ForgeError } from '@forge/core';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ImageService } from '../images/image-service.ts';
import type { SandboxBackend } from '../sandbox.ts';
import type { Container, Containers } from './containers.ts';
import { type OrchestratorPolicy, optionsFor } from './policy.ts';
import { containerSchema, createSchema, destroySchema, emptySchema } from './requests.ts';
import type { CallServer } from './serve-call.ts';

export interface ContainerCallsOptions {
  readonly serve: CallServer;
  readonly containers: Containers;
  readonly policy: OrchestratorPolicy;
  readonly backend: SandboxBackend;
  readonly images: ImageService | undefined;
}

export function containerCalls({
  serve,
  containers,
  policy,
  backend,
  images,
}: ContainerCallsOptions): UntypedServiceImplementation {
  return {
    CreateContainer: serve.unary(createSchema, async (request, context) => {
      const asked = optionsFor(request, policy);
      // By its id from here on: a name may become that of another image meanwhile.
      const image = asked.image && (await images?.find(asked.image, context.client));
      const options = { ...asked, ...(image && { image }), signal: context.signal };
      const id = request.containerId === '' ? undefined : request.containerId;
      const container = await containers.create(context, { options, ...(id && { id }) });
      const { workspace, limits } = container.sandbox;
      return { containerId: container.id, workspace, limits };
    }),

    DestroyContainer: serve.unary(destroySchema, async ({ containerId, graceMs }, context) => {
      try {
        await containers.destroy(containers.find(context, containerId), { graceMs });
      } catch (error) {
        if (!ForgeError.is(error, 'not_found')) throw error;
      }
      return {};
    }),

    GetContainerStatus: serve.unary(containerSchema, async ({ containerId }, context) =>
      statusOf(containers.find(context, containerId)),
    ),

    GetResourceUsage: serve.unary(containerSchema, ({ containerId }, context) =>
      containers.use(context, containerId, async ({ sandbox }) => {
        const { cpuMs, memoryBytes, pids, diskBytes, network } = await sandbox.stats();
        return {
          ...{ cpuMs, memoryBytes, pids, diskBytes },
          networkReceivedBytes: network?.receivedBytes,
          networkSentBytes: network?.sentBytes,
        };
      }),
    ),

    ListContainers: serve.unary(emptySchema, async (_, context) => ({
      containers: containers.listOf(context).map(statusOf),
    })),

    ReapContainers: serve.unary(emptySchema, async (_, context) => ({
      removed: await containers.reap(context),
    })),

    GetBackend: serve.unary(emptySchema, async (_, { signal }) => ({
      name: backend.name,
      ...(await backend.probe(signal)),
    })),
  };
}

const states = { running: 'RUNNING', stopped: 'STOPPED', failed: 'FAILED' } as const;

/** A container as a message. */
export function statusOf({ id, sandbox, startedAt, labels }: Container): object {
  return { containerId: id, state: states[sandbox.state()], startedAt, labels };
}
