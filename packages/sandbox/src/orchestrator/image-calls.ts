import { ForgeError } from '@forge/core';
import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ImageService } from '../images/image-service.ts';
import type { OrchestratorPolicy } from './policy.ts';
import { buildSchema, pushSchema } from './requests.ts';
import type { CallServer } from './serve-call.ts';
import { StatusError } from './status.ts';
import { takeParts } from './take-parts.ts';

export function imageCalls({
  serve,
  images,
  policy,
}: {
  readonly serve: CallServer;
  readonly images: ImageService | undefined;
  readonly policy: OrchestratorPolicy;
}): UntypedServiceImplementation {
  return {
    BuildImage: serve.exchange(buildSchema, async function* (messages, { client, signal }) {
      const service = images ?? noImages();
      const { head, body } = await takeParts(messages, {
        first: (message) => (message.part === 'options' ? message.options : undefined),
        rest: (message) => (message.part === 'context' ? message.context : undefined),
        maxBytes: policy.contextBytes,
      });
      if (head.network && !policy.buildNetwork) {
        throw new ForgeError('not_allowed', 'Builds have no network here. Copy in what they need.');
      }
      const { tag, dockerfile, buildArgs, network } = head;
      yield* service.build({
        ...{ tag, buildArgs, network, owner: client },
        dockerfile: dockerfile === '' ? 'Dockerfile' : dockerfile,
        context: body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(policy.imageMs)]),
      });
    }),

    PushImage: serve.stream(pushSchema, async function* (request, { client, signal }) {
      const service = images ?? noImages();
      const { tag, username, password } = request;
      const registry = tag.split('/')[0] ?? '';
      if (!policy.registries.includes(registry)) {
        const allowed = policy.registries.join(', ') || 'none';
        const message = `Images may not be pushed to ${registry} from here. Allowed: ${allowed}.`;
        throw new ForgeError('not_allowed', message);
      }
      yield* service.push({
        tag,
        owner: client,
        ...(username !== '' && { auth: { username, password } }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(policy.imageMs)]),
      });
    }),
  };
}

function noImages(): never {
  throw new StatusError(
    status.UNIMPLEMENTED,
    'This orchestrator builds no images: its backend has none. Start it with --backend docker.',
  );
}
