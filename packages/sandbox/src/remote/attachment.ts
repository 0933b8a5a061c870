import type { ClientReadableStream } from '@grpc/grpc-js';
import { fromStatus } from '../orchestrator/status.ts';
import type { OrchestratorClient } from './orchestrator-client.ts';
import type { RemoteSandbox } from './remote-sandbox.ts';
import { attachEventSchema, statusSchema } from './responses.ts';

const firstWaitMs = 100;
const longestWaitMs = 2_000;

export interface AttachmentOptions {
  readonly client: OrchestratorClient;
  readonly sandboxes: ReadonlyMap<string, RemoteSandbox>;
  /** How long the server may be out of reach before its containers are given up. */
  readonly lostMs: number;
  readonly now: () => number;
}

/**
 * The connection that keeps our containers alive on the server, made again whenever it breaks. Says
 * which of them ended, also those that a server which came back no longer knows.
 */
export class Attachment {
  readonly #options: AttachmentOptions;
  readonly #closing = new AbortController();
  #call: ClientReadableStream<unknown> | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: AttachmentOptions) {
    this.#options = options;
  }

  /** From the first container on. */
  keep(): void {
    this.#loop ??= this.#keep();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#call?.cancel();
    await this.#loop;
  }

  async #keep(): Promise<void> {
    const { now, lostMs, sandboxes } = this.#options;
    const { signal } = this.#closing;
    let lastHeard = now();
    let waitMs = firstWaitMs;
    while (!signal.aborted) {
      const problem = await this.#attach(() => {
        lastHeard = now();
        waitMs = firstWaitMs;
      });
      if (signal.aborted) return;
      if (now() - lastHeard > lostMs) {
        for (const sandbox of [...sandboxes.values()]) {
          sandbox.fail(`the orchestrator cannot be reached: ${problem}`);
        }
      }
      await pause(waitMs, signal);
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  }

  /** Resolves when the connection broke, with what is known of why. */
  #attach(onHeard: () => void): Promise<string> {
    const call = this.#options.client.open('Attach', {});
    this.#call = call;
    if (this.#closing.signal.aborted) call.cancel();
    return new Promise((resolve) => {
      let isFirst = true;
      call.on('data', (message: unknown) => {
        onHeard();
        const event = attachEventSchema.safeParse(message);
        const ended = event.data?.ended;
        if (ended) this.#options.sandboxes.get(ended.id)?.fail('it ended by itself.');
        if (isFirst) void this.#compare();
        isFirst = false;
      });
      // A connection that stood was heard until it broke.
      const broken = (problem: string) => {
        if (!isFirst) onHeard();
        resolve(problem);
      };
      call.on('error', (error) => broken(fromStatus(error).message));
      call.on('end', () => broken('it ended the connection.'));
    });
  }

  /** Asks after every container: the server may be another than before. */
  async #compare(): Promise<void> {
    const { client, sandboxes } = this.#options;
    for (const [containerId, sandbox] of [...sandboxes]) {
      try {
        const asked = { schema: statusSchema, timeoutMs: 10_000 };
        const { state } = await client.ask('GetContainerStatus', { containerId }, asked);
        if (state !== 'running') sandbox.fail('it ended by itself.');
      } catch (error) {
        const { code, message } = fromStatus(error);
        if (code === 'not_found') sandbox.fail(message);
      }
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
