import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { z } from 'zod';

const requestSchema = z.object({ service: z.string() });
const services: readonly string[] = ['', 'forge.orchestrator.v1.Orchestrator'];

/** Whether this server takes calls. Needs no token, as those who look after servers have none. */
export class Health {
  readonly #watchers = new Set<() => void>();
  #serving = true;

  /** From now on it takes no more. */
  stop(): void {
    this.#serving = false;
    for (const watcher of this.#watchers) watcher();
  }

  calls(): UntypedServiceImplementation {
    const check: handleUnaryCall<unknown, object> = (call, callback) => {
      const answer = this.#answer(call.request);
      if (answer === undefined) callback({ code: status.NOT_FOUND, details: 'no such service' });
      else callback(null, answer);
    };
    const watch: handleServerStreamingCall<unknown, object> = (call) => {
      const tell = () => void call.write(this.#answer(call.request) ?? unknownService);
      const leave = () => void this.#watchers.delete(end);
      const end = () => {
        tell();
        call.end();
        leave();
      };
      this.#watchers.add(end);
      call.on('cancelled', leave);
      tell();
    };
    return { Check: check, Watch: watch };
  }

  #answer(request: unknown): object | undefined {
    const { service } = requestSchema.parse(request);
    if (!services.includes(service)) return undefined;
    return { status: this.#serving ? 'SERVING' : 'NOT_SERVING' };
  }
}

const unknownService = { status: 'SERVICE_UNKNOWN' };
