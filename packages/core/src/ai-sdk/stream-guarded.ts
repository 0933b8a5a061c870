import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createRescueStream } from '../rescue/rescue-stream.ts';
import { type GuardedCall, settle } from './guardrails-middleware.ts';

type Part = LanguageModelV4StreamPart;
type Controller = TransformStreamDefaultController<Part>;

/**
 * The stream with guardrails on: text flows as it comes until a call could begin, calls are
 * held until they are checked, and a reply that has to be asked for again is settled before
 * the stream ends.
 */
export function streamGuarded(
  call: GuardedCall,
  source: ReadableStream<Part>,
): ReadableStream<Part> {
  const reply = new StreamedReply(call);
  return source.pipeThrough(
    new TransformStream<Part, Part>({
      transform: (part, controller) => reply.take(part, controller),
    }),
  );
}

class StreamedReply {
  readonly #call: GuardedCall;
  readonly #rescue: ReturnType<typeof createRescueStream> | undefined;
  readonly #calls: Extract<LanguageModelV4Content, { type: 'tool-call' }>[] = [];
  #text = '';
  #reasoning = '';
  /** Text that is out. */
  #shown = '';
  #textId = 'text';
  #textOpen = false;
  #blocks = 0;

  constructor(call: GuardedCall) {
    this.#call = call;
    this.#rescue = call.guard.switches.rescue ? createRescueStream(call.guard.specs) : undefined;
  }

  take(part: Part, controller: Controller): void | Promise<void> {
    switch (part.type) {
      case 'text-start':
        this.#textId = part.id;
        return;
      case 'text-delta':
        this.#text += part.delta;
        this.#show(this.#rescue ? this.#rescue.push(part.delta).content : part.delta, controller);
        return;
      case 'text-end':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        return;
      case 'tool-call':
        if (part.providerExecuted) controller.enqueue(part);
        else this.#calls.push(part);
        return;
      case 'reasoning-delta':
        this.#reasoning += part.delta;
        controller.enqueue(part);
        return;
      case 'finish':
        return this.#finish(part, controller);
      default:
        controller.enqueue(part);
    }
  }

  async #finish(part: Extract<Part, { type: 'finish' }>, controller: Controller): Promise<void> {
    const { finishReason, usage, providerMetadata } = part;
    const { result } = await settle(this.#call, {
      content: this.#content(),
      finishReason,
      usage,
      providerMetadata,
      warnings: [],
    });
    for (const piece of result.content) this.#release(piece, controller);
    this.#closeText(controller);
    controller.enqueue({
      ...part,
      finishReason: result.finishReason,
      usage: result.usage,
      providerMetadata: result.providerMetadata,
    });
  }

  #content(): LanguageModelV4Content[] {
    const content: LanguageModelV4Content[] = [];
    if (this.#reasoning !== '') content.push({ type: 'reasoning', text: this.#reasoning });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    return [...content, ...this.#calls];
  }

  /** Sends a part of the settled reply, less what is out already. */
  #release(piece: LanguageModelV4Content, controller: Controller) {
    if (piece.type === 'tool-call') controller.enqueue(piece);
    if (piece.type === 'text') {
      if (piece.text.startsWith(this.#shown))
        this.#show(piece.text.slice(this.#shown.length), controller);
      else if (piece.text.trim() !== this.#shown.trim()) {
        this.#closeText(controller);
        this.#show(piece.text, controller);
      }
    }
    if (piece.type === 'reasoning' && piece.text !== this.#reasoning) {
      const id = `forge-reasoning-${++this.#blocks}`;
      controller.enqueue({ type: 'reasoning-start', id });
      controller.enqueue({ type: 'reasoning-delta', id, delta: piece.text });
      controller.enqueue({ type: 'reasoning-end', id });
    }
  }

  #show(text: string, controller: Controller) {
    if (text === '') return;
    if (!this.#textOpen) {
      if (this.#blocks > 0) this.#textId = `forge-text-${this.#blocks}`;
      controller.enqueue({ type: 'text-start', id: this.#textId });
      this.#textOpen = true;
    }
    this.#shown += text;
    controller.enqueue({ type: 'text-delta', id: this.#textId, delta: text });
  }

  #closeText(controller: Controller) {
    if (!this.#textOpen) return;
    controller.enqueue({ type: 'text-end', id: this.#textId });
    this.#textOpen = false;
    this.#shown = '';
    this.#blocks += 1;
  }
}
