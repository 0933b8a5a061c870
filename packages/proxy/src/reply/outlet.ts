import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { textOf } from '@forge/core';
import {
  eventsOfReply,
  type Frame,
  type StreamEncoder,
  type StreamEvent,
  type WireError,
} from '@forge/models';
import { corsHeaders } from '../server/cors.ts';
import { responseHeaders } from '../server/response-headers.ts';
import { callsOf } from '../turn/edit-reply.ts';
import type { Taken } from '../turn/turn.ts';
import { flatHeaders } from '../upstream/flat-headers.ts';
import { eventFor, replyFor } from './for-wire.ts';
import { isStreamType, streamType, writeFrame } from './framing.ts';
import type { HeldItem } from './held-stream.ts';
import { markerComment, markers } from './markers.ts';
import type { ReplyJob } from './reply-job.ts';

/**
 * The client's end of a stream. Frames of the backend go out as they are where both speak the same
 * wire, else in the client's words; a reply that was changed or asked for again goes on from
 * whatever is out already.
 */
export class Outlet {
  readonly #job: ReplyJob;
  /** Says what is out in the client's words; made when it is first needed. */
  #encoder: StreamEncoder | undefined;
  /** What is out, for an encoder that has to go on from there. Pieces of text are joined. */
  #shown: StreamEvent[] = [];
  #text = '';
  #content = '';
  #headers: IncomingHttpHeaders = {};
  #isOver = false;
  #hasListed = false;

  constructor(job: ReplyJob) {
    this.#job = job;
    if (!job.isRaw) this.#encoder = job.wire.createStreamEncoder();
  }

  get response(): ServerResponse {
    return this.#job.response;
  }

  get isOpen(): boolean {
    return this.response.headersSent;
  }

  /** The head of the backend's answer, sent with the first piece. */
  begin(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  /** Frames of the first reply. `bytes`: exactly these frames as they came, if nothing else is in them. */
  pass(items: readonly HeldItem[], bytes?: Buffer): boolean {
    if (items.length === 0) return true;
    for (const item of items) this.#note(item);
    if (this.#encoder === undefined) {
      if (bytes !== undefined) return this.write(bytes);
      const { wire } = this.#job;
      return this.write(items.map(({ frame }) => frame && writeFrame(wire, frame)).join(''));
    }
    return this.write(items.map(({ events }) => this.#encode(events)).join(''));
  }

  /** A reply that is not as it came, or not the first: what of it is not out yet. */
  settle(taken: Taken) {
    const { wire, backend, turn, readsList } = this.#job;
    const attempts = turn().attempts.length;
    const isFirst = attempts === 1;
    const encoder = this.#continue();
    const reply = replyFor(wire, backend.wire, taken.reply);
    const isMarked =
      this.isOpen && wire.framing === 'sse' && !readsList && taken.outcome !== 'clean';
    const mark = isMarked ? markerComment(taken, attempts) : '';
    if (!this.isOpen) this.#open(markers(taken, attempts));
    const frames: string[] = [mark];
    const text = this.#rest(textOf(reply), {
      isFirst,
      hasCalls: callsOf(reply.content).length > 0,
    });
    let toldText = false;
    const hasShown = new Set(this.#shown.map(({ type }) => type));
    for (const event of eventsOfReply(reply)) {
      const written = this.#next(event, { hasShown, text: toldText ? '' : text });
      if (event.type === 'text') toldText = true;
      if (written === undefined) continue;
      for (const frame of encoder.push(this.#counted(written))) frames.push(this.#frame(frame));
    }
    this.write(frames.join(''));
  }

  /** The event as it goes on from what is out; undefined if that is out already. */
  #next(
    event: StreamEvent,
    { hasShown, text }: { hasShown: ReadonlySet<StreamEvent['type']>; text: string },
  ): StreamEvent | undefined {
    switch (event.type) {
      case 'start':
      case 'opaque':
        return hasShown.has(event.type) ? undefined : event;
      case 'reasoning':
      case 'signature':
        return hasShown.has('reasoning') || hasShown.has('text') ? undefined : event;
      case 'text':
        return text === '' ? undefined : { type: 'text', text };
      default:
        return event;
    }
  }

  /** What of a text is not out. Words that were out before another reply came stay as they are. */
  #rest(text: string, { isFirst, hasCalls }: { isFirst: boolean; hasCalls: boolean }): string {
    if (this.#text.trim() === '') return text;
    if (isFirst) {
      for (const shown of [this.#text, this.#content]) {
        if (shown !== '' && text.startsWith(shown)) return text.slice(shown.length);
      }
      return '';
    }
    return hasCalls ? '' : `\n\n${text}`;
  }

  write(piece: string | Buffer): boolean {
    // A heartbeat may come while a slow client still reads the end.
    if (piece.length === 0 || this.#isOver) return true;
    if (!this.isOpen) this.#open([]);
    return this.response.write(piece);
  }

  end() {
    if (this.#job.readsList && this.isOpen) this.write(this.#hasListed ? ']' : '[]');
    this.#isOver = true;
    this.response.end();
  }

  /** From here on nothing goes out as it came, but in our own words. */
  writeAnew() {
    this.#continue();
  }

  /** An encoder that has said what is out. */
  #continue(): StreamEncoder {
    if (this.#encoder === undefined) {
      this.#encoder = this.#job.wire.createStreamEncoder();
      for (const event of this.#shown) this.#encoder.push(event);
    }
    return this.#encoder;
  }

  /** The end of a stream that failed after its head was out. */
  fail(error: WireError) {
    const frames = this.#continue().push({ type: 'error', error });
    this.write(frames.map((frame) => this.#frame(frame)).join(''));
    this.end();
  }

  #frame(frame: Frame): string {
    const { wire, readsList } = this.#job;
    if (!readsList) return writeFrame(wire, frame);
    const before = this.#hasListed ? ',\r\n' : '[';
    this.#hasListed = true;
    return before + frame.data;
  }

  #encode(events: readonly StreamEvent[]): string {
    const { wire, backend } = this.#job;
    let written = '';
    for (const event of events) {
      const meant = eventFor(wire, backend.wire, event);
      if (meant === undefined) continue;
      for (const frame of this.#encoder?.push(this.#counted(meant)) ?? []) {
        written += this.#frame(frame);
      }
    }
    return written;
  }

  /** Chat completions tell the usage of a stream only to clients that asked. */
  #counted(event: StreamEvent): StreamEvent {
    if (event.type !== 'finish' || this.#job.wantsUsage || event.usage === undefined) return event;
    const { usage: _, ...uncounted } = event;
    return uncounted;
  }

  #note({ events, content }: HeldItem) {
    this.#content = content;
    for (const event of events) {
      const last = this.#shown.at(-1);
      if (event.type === 'text') {
        this.#text += event.text;
        if (last?.type === 'text' && event.provider === undefined) {
          this.#shown[this.#shown.length - 1] = { ...last, text: last.text + event.text };
          continue;
        }
      } else if (event.type === 'reasoning' && last?.type === 'reasoning') {
        this.#shown[this.#shown.length - 1] = { ...last, text: last.text + event.text };
        continue;
      }
      this.#shown.push(event);
    }
  }

  #open(marks: readonly string[]) {
    const { isRaw } = this.#job;
    const type = this.#headers['content-type'] ?? '';
    const head =
      isRaw && isStreamType(type)
        ? responseHeaders(flatHeaders(this.#headers), { isRewritten: true })
        : ['content-type', streamType(this.#job), 'cache-control', 'no-cache', ...corsHeaders];
    // Else a proxy in between might collect the stream before it passes it on.
    head.push('x-accel-buffering', 'no', ...marks);
    this.response.writeHead(200, head);
  }
}
