import type { JsonObject } from '@forge/core';
import { objectOf } from '../shared/json-fields.ts';
import { asList } from '../shared/lenient.ts';
import { givenId } from './made-up-ids.ts';
import type { OpenBlock, Place } from './open-block.ts';

export interface OpenMessage extends OpenBlock {
  readonly kind: 'message';
  /** Begins another part of the same message. */
  next(marks: JsonObject): void;
  /** What is only known of the words once they are all there. Nothing is added to them then. */
  end(marks: JsonObject): void;
}

interface Part {
  readonly isRefusal: boolean;
  text: string;
  fields: JsonObject;
}

/** `marks` are what `provider` keeps of the message and its part: see `createAssistantDecoder`. */
export function openMessage(place: Place & { readonly marks: JsonObject }): OpenMessage {
  const { emit, ids, outputIndex, marks } = place;
  let fields = objectOf(marks.message);
  const id = ids.claim('msg', givenId(fields.id));
  const done: JsonObject[] = [];
  let part: Part = open(marks);
  let isComplete = false;

  function item(status: string, content: readonly JsonObject[]): JsonObject {
    return { status, type: 'message', role: 'assistant', ...fields, id, content };
  }

  function at(): JsonObject {
    return { item_id: id, output_index: outputIndex, content_index: done.length };
  }

  function open(of: JsonObject): Part {
    const { type, ...rest } = objectOf(of.part);
    return { isRefusal: type === 'refusal', text: '', fields: rest };
  }

  function announce(): void {
    emit('response.content_part.added', { ...at(), part: shown({ ...part, fields: {} }) });
  }

  function finish(): void {
    const { isRefusal, text } = part;
    asList(part.fields.annotations).forEach((annotation, annotation_index) => {
      emit('response.output_text.annotation.added', { ...at(), annotation_index, annotation });
    });
    if (isRefusal) emit('response.refusal.done', { ...at(), refusal: text });
    else emit('response.output_text.done', { ...at(), text, logprobs: [] });
    emit('response.content_part.done', { ...at(), part: shown(part) });
    done.push(shown(part));
  }

  const { status: _, ...early } = fields;
  emit('response.output_item.added', {
    output_index: outputIndex,
    item: { ...item('in_progress', []), ...early, status: 'in_progress', id },
  });
  announce();

  return {
    kind: 'message',
    outputIndex,
    get isComplete() {
      return isComplete;
    },
    add(piece) {
      part.text += piece;
      if (piece === '') return;
      if (part.isRefusal) emit('response.refusal.delta', { ...at(), delta: piece });
      else emit('response.output_text.delta', { ...at(), delta: piece, logprobs: [] });
    },
    next(more) {
      finish();
      part = open(more);
      isComplete = false;
      announce();
    },
    end(known) {
      const { type: __, ...rest } = objectOf(known.part);
      part.fields = { ...part.fields, ...rest };
      fields = { ...fields, ...objectOf(known.message) };
      isComplete = true;
    },
    sign() {},
    close() {
      finish();
      const whole = item('completed', done);
      emit('response.output_item.done', { output_index: outputIndex, item: whole });
      return whole;
    },
  };
}

function shown({ isRefusal, text, fields }: Part): JsonObject {
  return isRefusal
    ? { type: 'refusal', refusal: text, ...fields }
    : { type: 'output_text', text, annotations: [], logprobs: [], ...fields };
}
