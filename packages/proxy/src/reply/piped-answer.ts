import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ModelError } from '@forge/models';
import { responseHeaders } from '../server/response-headers.ts';
import type { BackendCall, BackendListener } from '../upstream/backend.ts';
import { flatHeaders } from '../upstream/flat-headers.ts';

export interface PipedOptions {
  readonly response: ServerResponse;
  readonly onEnd: (status: number) => void;
  /** The head may be out by then. */
  readonly onFail: (error: ModelError) => void;
  /** Told of an error instead of `onEnd`. One that is no JSON is not passed on: it is for whoever hears it. */
  readonly onRefusal?: (refusal: Refusal) => void;
}

export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of it. */
  readonly body: Buffer;
  /** The client has it already. */
  readonly isPassed: boolean;
}

const keptOfRefusal = 64 * 1024;

/** Passes an answer on as it comes, head and body; nobody looks at it. */
export class PipedAnswer implements BackendListener {
  /** The call it hears; paused while the client does not read. */
  call: BackendCall | undefined;
  readonly #response: ServerResponse;
  readonly #onEnd: (status: number) => void;
  readonly #onFail: (error: ModelError) => void;
  readonly #onRefusal: PipedOptions['onRefusal'];
  #status = 0;
  #refusal: Refusal | undefined;

  constructor(options: PipedOptions) {
    this.#response = options.response;
    this.#onEnd = options.onEnd;
    this.#onFail = options.onFail;
    this.#onRefusal = options.onRefusal;
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#status = status;
    if (this.#onRefusal !== undefined && status >= 400) {
      const isPassed = /json/.test(headers['content-type'] ?? '');
      this.#refusal = { status, headers, body: Buffer.alloc(0), isPassed };
      if (!isPassed) return;
    }
    this.#response.writeHead(status, responseHeaders(flatHeaders(headers), { isRewritten: false }));
    // A stream may be silent for long after its head.
    if (headers['content-length'] === undefined) this.#response.flushHeaders();
  }

  data(chunk: Buffer) {
    if (this.#refusal !== undefined) {
      const { body } = this.#refusal;
      const wanted = chunk.subarray(0, keptOfRefusal - body.length);
      if (wanted.length > 0)
        this.#refusal = { ...this.#refusal, body: Buffer.concat([body, wanted]) };
      if (!this.#refusal.isPassed) return;
    }
    if (this.#response.write(chunk)) return;
    this.call?.pause();
    this.#response.once('drain', () => this.call?.resume());
  }

  end() {
    if (this.#refusal?.isPassed !== false) this.#response.end();
    if (this.#refusal === undefined) this.#onEnd(this.#status);
    else this.#onRefusal?.(this.#refusal);
  }

  fail(error: ModelError) {
    this.#onFail(error);
  }
}
