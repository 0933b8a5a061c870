import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import {
  type Frame,
  type FrameDecoder,
  ModelError,
  type StreamDecoder,
  type StreamEvent,
  type WireError,
} from '@forge/models';
import type { Outcome } from '../proxy-event.ts';
import type { Ruling } from '../turn/turn.ts';
import type { BackendListener } from '../upstream/backend.ts';
import { askAgain } from './ask-again.ts';
import { bodyTooLarge } from './decode-whole.ts';
import { endsFrame, framesFor, heartbeatFor, isStreamType } from './framing.ts';
import { type HeldItem, HeldStream } from './held-stream.ts';
import { createInflater } from './inflate.ts';
import { isWellNumbered } from './numbering.ts';
import { Outlet } from './outlet.ts';
import type { ReplyJob } from './reply-job.ts';
import { failJob } from './send-reply.ts';
import { asModelError, WholeAnswer } from './whole-answer.ts';

/**
 * Hears the first reply to a request that wants a stream, and passes it on while it comes. The
 * head goes out with the first piece, so that a failure before it still has its own status.
 */
export class StreamedAnswer implements BackendListener {
  readonly #job: ReplyJob;
  readonly #outlet: Outlet;
  readonly #held: HeldStream;
  readonly #framing: FrameDecoder;
  readonly #decoder: StreamDecoder;
  readonly #heartbeat: NodeJS.Timeout;
  /** Hears an answer that is no stream after all. */
  #whole: WholeAnswer | undefined;
  #inflater: Transform | undefined;
  #hasHead = false;
  #size = 0;
  #isMisnumbered = false;
  /** The client does not read what is out already. */
  #isPaused = false;
  /** What was heard so far ends a frame. */
  #isBetween = true;
  /** The reply is right as it came: the rest of it goes by. */
  #outcome: Outcome | undefined;
  /** Nothing more is heard: the reply is asked for again, or it failed. */
  #isDeaf = false;

  constructor(job: ReplyJob) {
    this.#job = job;
    const { wire } = job.backend;
    this.#framing = framesFor(wire);
    this.#decoder = wire.createStreamDecoder();
    this.#outlet = new Outlet(job);
    this.#held = new HeldStream({ wire, guard: job.guard, holdsAll: job.holdsAll });
    this.#heartbeat = setInterval(() => this.#beat(), job.heartbeat);
    job.response.once('close', () => clearInterval(this.#heartbeat));
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#hasHead = true;
    if (status >= 200 && status <= 299 && isStreamType(headers['content-type'] ?? '')) {
      this.#outlet.begin(headers);
      this.#unpack(headers['content-encoding']);
      return;
    }
    this.#whole = new WholeAnswer(this.#job, (taken) => {
      this.#outlet.settle(taken);
      this.#outlet.end();
    });
    this.#whole.head(status, headers);
  }

  /** A stream that comes packed, though a plain one was asked for. */
  #unpack(encoding: string | undefined) {
    try {
      this.#inflater = createInflater(encoding);
    } catch (error) {
      this.#job.call?.abort();
      return this.#broke(error);
    }
    this.#inflater?.on('data', (chunk: Buffer) => this.#listen(chunk));
    this.#inflater?.on('end', () => this.#end());
    this.#inflater?.on('error', (error) => {
      const message = 'The packed stream of the backend cannot be unpacked.';
      this.#job.call?.abort();
      this.fail(new ModelError({ kind: 'bad_response', message }, { cause: error }));
    });
  }

  data(chunk: Buffer) {
    if (this.#whole !== undefined) this.#whole.data(chunk);
    else if (this.#inflater !== undefined) this.#inflater.write(chunk);
    else this.#listen(chunk);
  }

  end() {
    if (this.#whole !== undefined) this.#whole.end();
    else if (this.#inflater !== undefined) this.#inflater.end();
    else this.#end();
  }

  /** Whatever was thrown on the way: the client of this request is told, the next one is not harmed. */
  #broke(error: unknown) {
    if (!(error instanceof ModelError)) this.#job.onBug(error);
    this.fail(asModelError(error));
  }

  #listen(chunk: Buffer) {
    if (this.#isDeaf) return;
    this.#size += chunk.length;
    if (this.#size > this.#job.maxReplyBytes) {
      this.#job.call?.abort();
      return this.fail(bodyTooLarge(this.#job.maxReplyBytes));
    }
    const startsFresh = this.#isBetween && this.#held.isEmpty;
    this.#isBetween = endsFrame(this.#job.backend.wire, chunk);
    try {
      this.#hear(this.#framing.push(chunk), startsFresh && this.#isBetween ? chunk : undefined);
    } catch (error) {
      this.#job.call?.abort();
      this.#broke(error);
    }
  }

  #end() {
    if (this.#isDeaf) return;
    try {
      this.#hear(this.#framing.end());
      const last = this.#decoder.end();
      if (last.length > 0) this.#take(undefined, last);
    } catch (error) {
      return this.#broke(error);
    }
    if (this.#outcome !== undefined) this.#finish(this.#outcome);
  }

  #finish(outcome: Outcome) {
    this.#outlet.pass(this.#held.releaseAll());
    this.#outlet.end();
    this.#job.done({ status: 200, outcome });
  }

  fail(error: ModelError) {
    if (this.#isDeaf || this.#job.hasLeft) return;
    this.#isDeaf = true;
    // The reply was complete: how the connection ends is nothing to the client.
    if (this.#outcome !== undefined) return this.#finish(this.#outcome);
    if (!this.#outlet.isOpen) return failJob(this.#job, error);
    this.#outlet.fail(error);
    this.#job.done({ status: 200, outcome: 'failed', error });
  }

  /** `bytes`: exactly these frames as they came. */
  #hear(frames: readonly Frame[], bytes?: Buffer) {
    for (const frame of frames) {
      this.#take(frame, this.#decoder.push(frame));
      if (this.#isDeaf) return;
    }
    const items = this.#outcome === undefined ? this.#held.release() : this.#held.releaseAll();
    this.#pass(items, this.#held.isEmpty ? bytes : undefined);
  }

  #take(frame: HeldItem['frame'], events: readonly StreamEvent[]) {
    const failure = events.find((event) => event.type === 'error');
    if (failure !== undefined) return this.#failed(failure.error);
    // Ids another Forge made up are not kept, so a stream could not go on under them.
    if (this.#job.backend.wire.name === 'openai-responses' && frame?.data.includes('_forge_')) {
      this.#outlet.writeAnew();
    }
    this.#isMisnumbered ||= !isWellNumbered(this.#job.backend.wire, frame, events);
    if (this.#held.push(frame, events)) this.#judge();
  }

  #failed(error: WireError) {
    // What was let through so far stays; what was held back was never checked.
    this.#pass(this.#held.release());
    this.#job.call?.abort();
    this.fail(new ModelError(error));
  }

  #judge() {
    const job = this.#job;
    const ruling = this.#number(job.turn().judge(this.#held.reply()));
    if (ruling.kind === 'take' && !ruling.changed) {
      this.#outcome = ruling.outcome;
      return;
    }
    this.#isDeaf = true;
    this.#pass(this.#held.release());
    askAgain(job, ruling).then(
      (taken) => {
        if (job.hasLeft) return;
        this.#outlet.settle(taken);
        this.#outlet.end();
        job.done({ status: 200, outcome: taken.outcome });
      },
      (error: unknown) => {
        if (job.hasLeft) return;
        this.#isDeaf = false;
        this.#broke(error);
      },
    );
  }

  /** Calls a client would mix up are written anew. */
  #number(ruling: Ruling): Ruling {
    if (!this.#isMisnumbered || !this.#job.isRaw || ruling.kind !== 'take') return ruling;
    const outcome = ruling.outcome === 'clean' ? 'repaired' : ruling.outcome;
    this.#job.turn().mended('calls_renumbered');
    return { ...ruling, changed: true, outcome };
  }

  #pass(items: readonly HeldItem[], bytes?: Buffer) {
    if (items.length === 0) return;
    this.#heartbeat.refresh();
    if (this.#outlet.pass(items, bytes)) return;
    if (this.#isPaused) return;
    this.#isPaused = true;
    const { call, response } = this.#job;
    call?.pause();
    this.#inflater?.pause();
    response.once('drain', () => {
      this.#isPaused = false;
      this.#inflater?.resume();
      call?.resume();
    });
  }

  /** Only once the backend has begun: until then a failure may still have its own status. */
  #beat() {
    if (this.#hasHead && this.#whole === undefined) {
      this.#outlet.write(heartbeatFor(this.#job));
    }
  }
}
