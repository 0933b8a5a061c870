import type { JsonObject, JsonValue } from '@forge/core';
import type { StreamEvent } from '../wire.ts';
import type { Given } from './item-progress.ts';

/** A number is the index of the call whose arguments they are. */
type Kind = 'text' | 'reasoning' | number;

/**
 * The text that is being given on. Most of a stream is the next piece of what came last: it is
 * known by the event's name and place, and nothing else needs to be looked up for it.
 */
export class TextFlow {
  #last:
    | {
        readonly name: string;
        readonly index: JsonValue | undefined;
        readonly id: JsonValue | undefined;
        readonly content: JsonValue | undefined;
        readonly summary: JsonValue | undefined;
        readonly kind: Kind;
        readonly given: Given;
      }
    | undefined;

  /** A piece was given on by the long way. */
  begin(event: JsonObject, name: string, kind: Kind, given: Given): void {
    const { output_index: index, item_id: id } = event;
    const { content_index: content, summary_index: summary } = event;
    this.#last = { name, index, id, content, summary, kind, given };
  }

  /** Something else was told: what comes next has to be looked up again. */
  end(): void {
    this.#last = undefined;
  }

  /** The next piece of it, or undefined if the event is anything else. */
  next(event: JsonObject, name: unknown): StreamEvent | undefined {
    const last = this.#last;
    const piece = event.delta;
    if (last === undefined || name !== last.name) return undefined;
    if (event.output_index !== last.index || event.item_id !== last.id) return undefined;
    if (event.content_index !== last.content) return undefined;
    if (event.summary_index !== last.summary) return undefined;
    if (typeof piece !== 'string' || piece === '') return undefined;
    last.given.length += piece.length;
    return typeof last.kind === 'number'
      ? { type: 'args', index: last.kind, text: piece }
      : { type: last.kind, text: piece };
  }
}
