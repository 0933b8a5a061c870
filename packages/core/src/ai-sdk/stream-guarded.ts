import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { mayRescue } from '../guardrails/read-reply.ts';
import { createRescueStream } from '../rescue/rescue-stream.ts';
import { type GuardedCall, settle } from './guardrails-middleware.ts';

type Part = LanguageModelV4StreamPart;
type TextStart = Extract<Part, { type: 'text-start' }>;
type Controller = TransformStreamDefaultController<Part>;

/**
 * The stream with guardrails on: text flows as it comes until a call could begin, calls are
 * held until they are checked, and a reply that has to be asked for again is settled before
 * the stream ends. A stream that breaks off, or carries an error, gives the text it had; calls
 * that could not be checked stay behind.
 */
export function streamGuarded(
  call: GuardedCall,
  source: ReadableStream<Part>,
): ReadableStream<Part> {
  const reply = new StreamedReply(call);
  return source.pipeThrough(
    new TransformStream<Part, Part>({
      transform: (part, controller) => reply.take(part, controller),
      flush: (controller) => reply.breakOff(controller),
    }),
  );
}

class StreamedReply {
  readonly #call: GuardedCall;
  readonly #rescue: ReturnType<typeof createRescueStream> | undefined;
  readonly #calls: Extract<LanguageModelV4Content, { type: 'tool-call' }>[] = [];
  /** Parts that are not for guardrails, and are out. */
  readonly #passed: LanguageModelV4Content[] = [];
  #text = '';
  #reasoning = '';
  /** Text that is out and not yet accounted for in the settled reply. */
  #shown = '';
  /** The block the source is writing, and the one that is open on our side. */
  #start: TextStart = { type: 'text-start', id: 'text' };
  #open: string | undefined;
  /** The source's block that was opened last: no block is opened twice. */
  #lastId: string | undefined;
  #blocks = 0;
  #failed = false;
  #finished = false;

  constructor(call: GuardedCall) {
    this.#call = call;
    this.#rescue = mayRescue(call.guard) ? createRescueStream(call.guard.specs) : undefined;
  }

  take(part: Part, controller: Controller): void | Promise<void> {
    switch (part.type) {
      case 'text-start':
        this.#start = part;
        return;
      case 'text-delta':
        this.#text += part.delta;
        this.#show(this.#rescue ? this.#rescue.push(part.delta).content : part.delta, controller);
        return;
      case 'text-end':
        if (this.#open === part.id && !this.#holdsText()) this.#close(controller, part);
        return;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        return;
      case 'tool-call':
        if (!part.providerExecuted) {
          this.#calls.push(part);
          return;
        }
        break;
      case 'reasoning-delta':
        this.#reasoning += part.delta;
        break;
      case 'error':
        this.#failed = true;
        break;
      case 'finish':
        this.#finished = true;
        return this.#finish(part, controller);
    }
    if (isForeignContent(part)) this.#passed.push(part);
    controller.enqueue(part);
  }

  /** The source ended. Without a finish there is no reply to judge. */
  breakOff(controller: Controller): void {
    if (!this.#finished) this.#showRest(this.#text, controller);
  }

  async #finish(part: Extract<Part, { type: 'finish' }>, controller: Controller): Promise<void> {
    if (this.#failed) {
      this.#showRest(this.#text, controller);
      controller.enqueue(part);
      return;
    }
    const { finishReason, usage, providerMetadata } = part;
    const result = await settle(this.#call, {
      content: this.#content(),
      finishReason,
      usage,
      providerMetadata,
      warnings: [],
    });
    for (const piece of result.content) this.#release(piece, controller);
    this.#close(controller);
    controller.enqueue({
      ...part,
      finishReason: result.finishReason,
      usage: result.usage,
      providerMetadata: result.providerMetadata,
    });
  }

  /** Then a block stays open past its end, and what follows joins it. Space goes with what follows. */
  #holdsText(): boolean {
    return this.#text.trimEnd() !== this.#shown.trimEnd();
  }

  #content(): LanguageModelV4Content[] {
    const content = [...this.#passed];
    if (this.#reasoning !== '') content.push({ type: 'reasoning', text: this.#reasoning });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    return [...content, ...this.#calls];
  }

  /** Sends a part of the settled reply, less what is out already. */
  #release(piece: LanguageModelV4Content, controller: Controller) {
    switch (piece.type) {
      case 'text':
        return this.#showRest(piece.text, controller);
      case 'reasoning': {
        if (piece.text === this.#reasoning) return;
        const id = `forge-reasoning-${++this.#blocks}`;
        controller.enqueue({ type: 'reasoning-start', id });
        controller.enqueue({ type: 'reasoning-delta', id, delta: piece.text });
        controller.enqueue({ type: 'reasoning-end', id });
        return;
      }
      default:
        if (!this.#passed.includes(piece)) controller.enqueue(piece);
    }
  }

  /** Sends a text of which the start may be out. Other words than those get a block of their own. */
  #showRest(text: string, controller: Controller) {
    const shown = this.#shown;
    this.#shown = '';
    if (text.startsWith(shown)) this.#show(text.slice(shown.length), controller);
    else if (text.trim() !== shown.trim()) {
      this.#close(controller);
      this.#show(text, controller);
    }
    this.#close(controller);
    this.#shown = '';
  }

  #show(text: string, controller: Controller) {
    if (text === '') return;
    if (this.#open === undefined) {
      const isNext = this.#start.id !== this.#lastId;
      const start: TextStart = isNext
        ? this.#start
        : { type: 'text-start', id: `forge-text-${++this.#blocks}` };
      controller.enqueue(start);
      this.#open = start.id;
      this.#lastId = this.#start.id;
    }
    this.#shown += text;
    controller.enqueue({ type: 'text-delta', id: this.#open, delta: text });
  }

  #close(controller: Controller, end?: Extract<Part, { type: 'text-end' }>) {
    if (this.#open === undefined) return;
    controller.enqueue({ ...end, type: 'text-end', id: this.#open });
    this.#open = undefined;
  }
}

/** Content that guardrails do not look at, on its way past them. */
function isForeignContent(part: Part): part is Extract<Part, LanguageModelV4Content> {
  switch (part.type) {
    case 'tool-call':
    case 'tool-result':
    case 'tool-approval-request':
    case 'file':
    case 'reasoning-file':
    case 'custom':
    case 'source':
      return true;
    default:
      return false;
  }
}
