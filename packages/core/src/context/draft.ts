import { type Message, userMessage } from '../messages/message.ts';
import type { Change, CompactionInput } from './compaction.ts';
import type { ContextEntry } from './entry.ts';
import { saysNothing, withParts } from './sent-window.ts';
import type { Unit } from './units.ts';

/**
 * A plan in the making: collects changes and keeps count of what is left. A later change to an
 * entry takes the place of an earlier one. Entries are named by their position in the window.
 */
export class Draft {
  readonly #input: CompactionInput;
  readonly #changes = new Map<number, Change>();
  readonly #costs = new Map<number, number>();
  #tokens: number;

  constructor(input: CompactionInput) {
    this.#input = input;
    this.#tokens = input.tokens;
    for (const unit of input.units) {
      if (unit.kind !== 'orphan') continue;
      for (const position of unit.positions) this.#costs.set(position, 0);
    }
  }

  /** What the request would take now. */
  get tokens(): number {
    return this.#tokens;
  }

  get changes(): readonly Change[] {
    return [...this.#changes.values()];
  }

  cost(position: number): number {
    const known = this.#costs.get(position);
    if (known !== undefined) return known;
    const cost = this.#count(this.#entry(position).message);
    this.#costs.set(position, cost);
    return cost;
  }

  costOf(unit: Unit): number {
    return unit.positions.reduce((sum, position) => sum + this.cost(position), 0);
  }

  drop(unit: Unit): void {
    for (const position of unit.positions) {
      this.#change(position, 0, { entry: this.#entry(position).id, action: 'drop' });
    }
  }

  /** Drops the unit and leaves a note in its place. */
  note(unit: Unit, text: string): void {
    this.drop(unit);
    const place = unit.positions[0];
    if (place === undefined) return;
    const cost = this.#count(userMessage(text));
    this.#change(place, cost, { entry: this.#entry(place).id, action: 'note', text });
  }

  /** Only if that wins something. */
  replace(position: number, message: Message): void {
    const cost = this.#count(message);
    if (cost >= this.cost(position)) return;
    this.#change(position, cost, { entry: this.#entry(position).id, action: 'replace', message });
  }

  /** Only if there is some. */
  dropReasoning(position: number): void {
    const entry = this.#entry(position);
    if (entry.message.role !== 'assistant') return;
    const bare = withParts(entry, entry.message, (part) => part.type !== 'reasoning');
    if (bare === entry) return;
    this.#change(position, this.#count(bare.message), {
      entry: entry.id,
      action: 'drop_reasoning',
    });
  }

  #change(position: number, cost: number, change: Change): void {
    this.#tokens += cost - this.cost(position);
    this.#costs.set(position, cost);
    this.#changes.set(position, change);
  }

  #count(message: Message): number {
    return saysNothing(message) ? 0 : this.#input.countTokens(message);
  }

  #entry(position: number): ContextEntry {
    const entry = this.#input.window[position];
    if (entry === undefined) throw new RangeError(`The window has no entry at ${position}.`);
    return entry;
  }
}
