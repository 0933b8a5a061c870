import type { IncomingHttpHeaders } from 'node:http';
import { ModelError, type Wire } from '@forge/models';
import type { Ruling, Taken } from '../turn/turn.ts';
import type { BackendListener } from '../upstream/backend.ts';
import { askAgain } from './ask-again.ts';
import { bodyTooLarge, parseBody } from './decode-whole.ts';
import { inflate } from './inflate.ts';
import type { ReplyJob } from './reply-job.ts';
import { failJob, sendRaw, sendReply } from './send-reply.ts';

/** Hears a first reply that comes in one piece, and answers the client. */
export class WholeAnswer implements BackendListener {
  readonly #job: ReplyJob;
  readonly #deliver: (taken: Taken) => void;
  readonly #isRaw: boolean;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;

  /** `deliver`: for a client that wants it as a stream. */
  constructor(job: ReplyJob, deliver?: (taken: Taken) => void) {
    this.#job = job;
    this.#deliver = deliver ?? ((taken) => sendReply(job, taken));
    this.#isRaw = job.isRaw && deliver === undefined;
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#status = status;
    this.#headers = headers;
  }

  data(chunk: Buffer) {
    this.#size += chunk.length;
    if (this.#size <= this.#job.maxReplyBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#job.call?.abort();
    this.fail(bodyTooLarge(this.#job.maxReplyBytes));
  }

  fail(error: ModelError) {
    failJob(this.#job, error);
  }

  end() {
    const [first] = this.#chunks;
    const body =
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    const encoding = this.#headers['content-encoding'];
    try {
      if (encoding === undefined || encoding === 'identity') this.#answer(body);
      else {
        const { 'content-encoding': _, ...plain } = this.#headers;
        this.#headers = plain;
        this.#answer(inflate(body, String(encoding), this.#job.maxReplyBytes));
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Whatever was thrown on the way: the client of this request is told, the next one is not harmed. */
  #failed(error: unknown) {
    if (!(error instanceof ModelError)) this.#job.onBug(error);
    this.fail(asModelError(error));
  }

  #answer(body: Buffer) {
    const job = this.#job;
    const status = this.#status;
    if (status < 200 || status > 299) return this.#refused(body);
    const parsed = parseBody(body);
    const clean = this.#isRaw ? job.glance(parsed) : undefined;
    if (clean !== undefined) {
      sendRaw(job, status, this.#headers, body);
      job.done({ status, outcome: 'clean', attempt: clean });
      return;
    }
    const ruling = job.turn().judge(job.backend.wire.decodeReply(parsed));
    if (ruling.kind === 'take' && !ruling.changed && this.#isRaw) {
      sendRaw(job, status, this.#headers, body);
      job.done({ status, outcome: ruling.outcome });
      return;
    }
    this.#settle(ruling);
  }

  /** An error of the backend: its own bytes if the client understands them, else their meaning. */
  #refused(body: Buffer) {
    const job = this.#job;
    const error = errorOf(job.backend.wire, { status: this.#status, headers: this.#headers, body });
    if (job.again(error)) return;
    if (!job.isRaw || this.#status < 400 || !isJson(body)) return this.fail(error);
    sendRaw(job, this.#status, this.#headers, body);
    job.done({ status: this.#status, outcome: 'failed', error });
  }

  #settle(ruling: Ruling) {
    const job = this.#job;
    askAgain(job, ruling).then(
      (taken) => {
        if (job.hasLeft) return;
        this.#deliver(taken);
        job.done({ status: 200, outcome: taken.outcome });
      },
      (error: unknown) => {
        if (!job.hasLeft) this.#failed(error);
      },
    );
  }
}

export function errorOf(
  wire: Wire,
  { status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: Buffer },
): ModelError {
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const error = wire.decodeError({
    status,
    headers: Object.fromEntries(flat),
    body: body.toString(),
  });
  // A redirect is no answer a client of a model's API could follow.
  return new ModelError(status < 400 ? { ...error, status: 502, kind: 'bad_response' } : error);
}

/** Our own bug, told without its insides. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const message = 'The proxy failed on this request. Its log says why.';
  return new ModelError({ kind: 'unavailable', message, status: 500 }, { cause: error });
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
