import { EventEmitter, on } from 'node:events';
import { ForgeError } from '@forge/core';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { statusOf } from './container-calls.ts';
import type { Container, Containers } from './containers.ts';
import { emptySchema } from './requests.ts';
import type { CallServer } from './serve-call.ts';

export function attachCall({
  serve,
  containers,
  stopping,
  now,
}: {
  readonly serve: CallServer;
  readonly containers: Containers;
  /** The server wants to end: these calls would go on for ever. */
  readonly stopping: AbortSignal;
  readonly now: () => number;
}): UntypedServiceImplementation {
  return {
    Attach: serve.stream(emptySchema, async function* (_, { client, session, signal }) {
      if (session === undefined) {
        throw new ForgeError('invalid_options', 'Attach needs forge-session in its metadata.');
      }
      const ended = new EventEmitter();
      const tell = (container: Container) => void ended.emit('container', container);
      const detach = containers.sessions.attach({ client, session }, tell, now);
      try {
        const events = on(ended, 'container', { signal: AbortSignal.any([signal, stopping]) });
        yield {};
        for await (const [container] of events) yield { ended: statusOf(container) };
      } catch (error) {
        if (!stopping.aborted) throw error;
      } finally {
        detach();
      }
    }),
  };
}
