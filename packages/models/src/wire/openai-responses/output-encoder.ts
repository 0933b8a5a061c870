import type { JsonObject } from '@forge/core';
import type { StreamEvent } from '../wire.ts';
import { draftItems } from './assistant-drafts.ts';
import type { ItemIds } from './item-ids.ts';
import { opaque } from './opaque-part.ts';
import { type Emit, type OpenBlock, openCall, openReasoning } from './open-block.ts';
import { type OpenMessage, openMessage } from './open-message.ts';
import { fieldsOf, objectField } from './provider-fields.ts';
import { sealReasoning } from './sealed-reasoning.ts';
import { showAssistant } from './show-assistant.ts';

type Piece = Exclude<StreamEvent, { type: 'start' | 'finish' | 'error' }>;

export interface OutputEncoder {
  /** The items that are done, in their order. */
  items(): JsonObject[];
  /** What is wrong with the piece, if it cannot be sent. */
  push(piece: Piece): string | undefined;
  close(): void;
}

/**
 * Text, reasoning and calls → output items. A text or a thought is closed by whatever follows it,
 * a call by the next call: its arguments may be mixed with text.
 */
export function createOutputEncoder(options: {
  readonly emit: Emit;
  readonly ids: ItemIds;
}): OutputEncoder {
  const { emit, ids } = options;
  const items: JsonObject[] = [];
  let next = 0;
  let words: OpenBlock | OpenMessage | undefined;
  let call: { readonly index: number; readonly block: OpenBlock } | undefined;

  function closeWords(): void {
    if (words !== undefined) items[words.outputIndex] = words.close();
    words = undefined;
  }

  function closeCall(): void {
    if (call !== undefined) items[call.block.outputIndex] = call.block.close();
    call = undefined;
  }

  function wordsOf(kind: 'message' | 'reasoning'): OpenBlock {
    if (words?.kind === kind && !words.isComplete) return words;
    closeWords();
    const place = { emit, ids, outputIndex: take() };
    words = kind === 'message' ? openMessage({ ...place, marks: {} }) : openReasoning(place);
    return words;
  }

  /** Fields that come with words begin a message, or a part of one; without words they end it. */
  function say({ text, provider }: Extract<Piece, { type: 'text' }>): void {
    if (provider !== undefined) {
      const marks = fieldsOf({ provider });
      const message = words !== undefined && isMessage(words) ? words : undefined;
      if (text === '') {
        message?.end(marks);
        return;
      }
      if (marks.continues === true && message !== undefined) message.next(marks);
      else {
        closeWords();
        words = openMessage({ emit, ids, outputIndex: take(), marks });
      }
    }
    wordsOf('message').add(text);
  }

  /** A proof ends the reasoning it belongs to; it may itself come in pieces. */
  function sign(piece: Extract<Piece, { type: 'signature' }>): void {
    const block = words?.kind === 'reasoning' ? words : wordsOf('reasoning');
    const shape = objectField(piece, 'reasoning');
    const { signature } = piece;
    block.sign(shape === undefined ? signature : sealReasoning({ signature, shape }));
  }

  function take(): number {
    next += 1;
    return next - 1;
  }

  function addWhole(value: JsonObject): void {
    for (const item of showAssistant([opaque(value)], ids)) {
      const outputIndex = take();
      emit('response.output_item.added', { output_index: outputIndex, item });
      emit('response.output_item.done', { output_index: outputIndex, item });
      items[outputIndex] = item;
    }
  }

  return {
    // An item still open leaves a gap, which is skipped.
    items: () => Object.values(items),
    push(piece) {
      switch (piece.type) {
        case 'text':
          say(piece);
          return undefined;
        case 'reasoning':
          wordsOf('reasoning').add(piece.text);
          return undefined;
        case 'signature':
          sign(piece);
          return undefined;
        case 'call': {
          closeWords();
          closeCall();
          const [draft] = draftItems([callPart(piece)]);
          if (draft?.kind !== 'call') return undefined;
          const block = openCall({ emit, ids, outputIndex: take(), item: draft.item });
          call = { index: piece.index, block };
          return undefined;
        }
        case 'args':
          if (call?.index !== piece.index) {
            return `Arguments came for call ${piece.index}, which is not open.`;
          }
          call.block.add(piece.text);
          return undefined;
        case 'opaque':
          closeWords();
          addWhole(piece.value);
          return undefined;
        default:
          return piece satisfies never;
      }
    },
    close() {
      const open = [words, call?.block].filter((block) => block !== undefined);
      // In the order of their places, as they would have been closed one after the other.
      open.sort((a, b) => a.outputIndex - b.outputIndex);
      for (const block of open) items[block.outputIndex] = block.close();
      words = undefined;
      call = undefined;
    },
  };
}

function isMessage(block: OpenBlock | OpenMessage): block is OpenMessage {
  return block.kind === 'message';
}

function callPart({ id, name, provider }: Extract<Piece, { type: 'call' }>) {
  return {
    type: 'tool_call' as const,
    id,
    name,
    args: '',
    ...(provider !== undefined && { provider }),
  };
}
