import {
  type AssistantPart,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Usage,
} from '@forge/core';
import { ModelError } from './model-error.ts';
import type { StreamEvent, Wire, WireReply } from './wire.ts';

/**
 * The whole reply of a stream that has been heard to its end. Throws the stream's own error, or
 * `bad_response` if the stream ended before it was finished.
 *
 * @example
 * const events: StreamEvent[] = [];
 * for await (const event of client.stream(request, { signal })) events.push(event);
 * const reply = assembleReply(events, 'ollama');
 */
export function assembleReply(events: Iterable<StreamEvent>, wire: Wire['name']): WireReply {
  const assembler = new ReplyAssembler(wire);
  for (const event of events) assembler.push(event);
  return assembler.reply();
}

type Draft =
  | {
      readonly type: 'text' | 'reasoning';
      text: string;
      signature?: string;
      provider?: JsonObject;
      /** What comes next begins a part of its own. */
      closed?: boolean;
    }
  | { readonly type: 'call'; readonly call: Head; args: string }
  | { readonly type: 'opaque'; readonly wire: string; readonly value: JsonObject };

type Head = { readonly id: string; readonly name: string; readonly provider?: JsonObject };

/** Builds a reply from its pieces as they come; the cost of a piece does not grow with the reply. */
export class ReplyAssembler {
  readonly #wire: Wire['name'];
  readonly #drafts: Draft[] = [];
  readonly #calls = new Map<number, Extract<Draft, { type: 'call' }>>();
  #head: { readonly id?: string; readonly model?: string } = {};
  #extra: JsonObject = {};
  #end:
    | { readonly finish: FinishReason; readonly usage?: Usage; readonly cost?: number }
    | undefined;

  constructor(wire: Wire['name']) {
    this.#wire = wire;
  }

  push(event: StreamEvent) {
    switch (event.type) {
      case 'start': {
        const { id, model, extra } = event;
        this.#head = { ...(id !== undefined && { id }), ...(model !== undefined && { model }) };
        this.#extra = { ...this.#extra, ...extra };
        return;
      }
      case 'text':
        if (event.provider === undefined) this.#write('text', event.text);
        else this.#mark(event.text, event.provider);
        return;
      case 'reasoning':
        this.#write('reasoning', event.text);
        return;
      case 'signature':
        this.#sign(event.signature, event.provider);
        return;
      case 'call': {
        const { id, name, provider } = event;
        this.#open(event.index, { id, name, ...(provider !== undefined && { provider }) });
        return;
      }
      case 'args': {
        const draft = this.#calls.get(event.index) ?? this.#open(event.index, { id: '', name: '' });
        draft.args += event.text;
        return;
      }
      case 'opaque':
        this.#drafts.push({
          type: 'opaque',
          wire: event.wire ?? this.#wire,
          value: event.value,
        });
        return;
      case 'finish': {
        const { finish, usage, cost, extra } = event;
        this.#end = {
          finish,
          ...(usage !== undefined && { usage }),
          ...(cost !== undefined && { cost }),
        };
        this.#extra = { ...this.#extra, ...extra };
        return;
      }
      case 'error':
        throw new ModelError(event.error);
      default:
        return event satisfies never;
    }
  }

  reply(): WireReply {
    const end = this.#end;
    if (end === undefined) {
      throw new ModelError({
        kind: 'bad_response',
        message: 'The stream ended before the reply was finished.',
      });
    }
    const content = this.#drafts.map((draft) => this.#toPart(draft, end.finish));
    return { ...this.#head, content, ...end, extra: this.#extra };
  }

  #write(type: 'text' | 'reasoning', text: string) {
    const last = this.#drafts.at(-1);
    if (last?.type === type && !last.closed) last.text += text;
    else this.#drafts.push({ type, text });
  }

  /** Words that bring provider fields begin a text; fields without words end the one before. */
  #mark(text: string, provider: JsonObject) {
    const last = this.#drafts.at(-1);
    if (text !== '') this.#drafts.push({ type: 'text', text, provider });
    else if (last?.type === 'text') {
      last.provider = addFields(last.provider, provider);
      last.closed = true;
    }
  }

  /** A proof closes the reasoning it belongs to. */
  #sign(signature: string, provider: JsonObject | undefined) {
    const last = this.#drafts.at(-1);
    const signed = { signature, closed: true, ...(provider !== undefined && { provider }) };
    if (last?.type === 'reasoning' && !last.closed) Object.assign(last, signed);
    else this.#drafts.push({ type: 'reasoning', text: '', ...signed });
  }

  #open(index: number, call: Head) {
    const draft = { type: 'call' as const, call, args: '' };
    this.#calls.set(index, draft);
    this.#drafts.push(draft);
    return draft;
  }

  #toPart(draft: Draft, finish: FinishReason): AssistantPart {
    switch (draft.type) {
      case 'text':
        return { type: 'text', text: draft.text, ...fieldsOf(draft.provider) };
      case 'reasoning': {
        const { text, signature, provider } = draft;
        const proof = signature === undefined ? {} : { signature };
        return { type: 'reasoning', text, ...proof, ...fieldsOf(provider) };
      }
      case 'call':
        return {
          type: 'tool_call',
          id: draft.call.id,
          name: draft.call.name,
          args: toArgs(draft.args, finish),
          ...(draft.call.provider !== undefined && { provider: draft.call.provider }),
        };
      case 'opaque':
        return { type: 'opaque', wire: draft.wire, value: draft.value };
      default:
        return draft satisfies never;
    }
  }
}

/** No text at all is a call without arguments, unless it is one that was cut off before them. */
function toArgs(text: string, finish: FinishReason): JsonValue {
  return text === '' && finish !== 'length' ? {} : text;
}

/** Fields of one wire add up. */
function addFields(before: JsonObject | undefined, more: JsonObject): JsonObject {
  const all: Record<string, JsonValue> = { ...before };
  for (const [wire, fields] of Object.entries(more)) {
    const own = all[wire];
    all[wire] = isJsonObject(own) && isJsonObject(fields) ? { ...own, ...fields } : fields;
  }
  return all;
}

/** `{}` only marks a boundary. */
function fieldsOf(provider: JsonObject | undefined): { provider?: Record<string, JsonValue> } {
  return provider === undefined || Object.keys(provider).length === 0 ? {} : { provider };
}
