import type { JsonObject } from '@forge/core';
import type { ItemIds } from './item-ids.ts';
import { asSummary } from './reasoning-item.ts';
import { showCall } from './show-assistant.ts';

export type Emit = (type: string, fields: JsonObject) => void;

/** An output item that is being written. `close` gives the item as it has become. */
export interface OpenBlock {
  readonly kind: 'message' | 'reasoning' | 'call';
  readonly outputIndex: number;
  /** Nothing is added to it any more. */
  readonly isComplete: boolean;
  add(text: string): void;
  sign(signature: string): void;
  close(): JsonObject;
}

export interface Place {
  readonly emit: Emit;
  readonly ids: ItemIds;
  readonly outputIndex: number;
}

/**
 * Shown as a summary, whoever's reasoning it is: that is what clients display, while most of them
 * overlook `reasoning_text`.
 */
export function openReasoning({ emit, ids, outputIndex }: Place): OpenBlock {
  const id = ids.claim('rs', undefined);
  const at = { item_id: id, output_index: outputIndex, summary_index: 0 };
  let text = '';
  let signature: string | undefined;
  const part = () => ({ type: 'summary_text', text });
  emit('response.output_item.added', {
    output_index: outputIndex,
    item: { id, type: 'reasoning', summary: [] },
  });
  return {
    kind: 'reasoning',
    outputIndex,
    get isComplete() {
      return signature !== undefined;
    },
    add(piece) {
      if (piece === '') return;
      if (text === '') emit('response.reasoning_summary_part.added', { ...at, part: part() });
      text += piece;
      emit('response.reasoning_summary_text.delta', { ...at, delta: piece });
    },
    sign(proof) {
      signature = (signature ?? '') + proof;
    },
    close() {
      if (text !== '') {
        emit('response.reasoning_summary_text.done', { ...at, text });
        emit('response.reasoning_summary_part.done', { ...at, part: part() });
      }
      const proof: JsonObject = signature === undefined ? {} : { encrypted_content: signature };
      const item = { id, type: 'reasoning', summary: asSummary(text), ...proof };
      emit('response.output_item.done', { output_index: outputIndex, item });
      return item;
    },
  };
}

export function openCall({
  emit,
  ids,
  outputIndex,
  item: draft,
}: Place & { readonly item: JsonObject }): OpenBlock {
  const shown = showCall(draft, ids);
  const at = { item_id: shown.id ?? '', output_index: outputIndex };
  let text = '';
  emit('response.output_item.added', {
    output_index: outputIndex,
    item: { ...shown, status: 'in_progress' },
  });
  return {
    kind: 'call',
    outputIndex,
    isComplete: false,
    add(piece) {
      text += piece;
      if (piece !== '') emit('response.function_call_arguments.delta', { ...at, delta: piece });
    },
    sign() {},
    close() {
      const item = { ...shown, arguments: text };
      emit('response.function_call_arguments.done', {
        ...at,
        name: shown.name ?? '',
        arguments: text,
      });
      emit('response.output_item.done', { output_index: outputIndex, item });
      return item;
    },
  };
}
