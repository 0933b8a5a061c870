import {
  CHARACTER,
  EDGE,
  type Entry,
  edgeNames,
  JUMP,
  LOOK,
  MATCH,
  NOT_LOOK,
  type Program,
  SET,
  SPLIT,
} from './linear-program.ts';
import { CharacterSet } from './linear-set.ts';
import { sizeOf } from './linear-size.ts';
import { countAnchors, type Look, type Repeat, type Syntax } from './linear-syntax.ts';

/** More instructions than this are not written: counts such as `{1,50000}` write out their body. */
const MAX_SIZE = 20_000;

/** Undefined for a pattern with a back reference or flags inside, and for one too large. */
export function compileProgram(syntax: Syntax, isUnicode: boolean): Program | undefined {
  return sizeOf(syntax) < MAX_SIZE ? new Compiler(isUnicode).compile(syntax) : undefined;
}

class Compiler {
  readonly #isUnicode: boolean;
  readonly #operations: number[] = [];
  readonly #operands: number[] = [];
  readonly #sets = new Map<string, number>();
  readonly #looks = new Map<Look, number>();
  readonly #entries: Entry[] = [];

  constructor(isUnicode: boolean) {
    this.#isUnicode = isUnicode;
  }

  compile(syntax: Syntax): Program {
    this.#findLooks(syntax);
    return {
      main: { ...this.#entry(syntax, false), isAnchored: countAnchors(syntax) > 0 },
      looks: this.#entries,
      operations: Uint8Array.from(this.#operations),
      operands: Int32Array.from(this.#operands),
      sets: [...this.#sets.keys()].map((source) => new CharacterSet(source, this.#isUnicode)),
      isUnicode: this.#isUnicode,
    };
  }

  #findLooks(syntax: Syntax): void {
    if (syntax.kind === 'sequence') for (const part of syntax.parts) this.#findLooks(part);
    if (syntax.kind === 'choice') for (const option of syntax.options) this.#findLooks(option);
    if (syntax.kind === 'repeat') this.#findLooks(syntax.body);
    if (syntax.kind !== 'look') return;
    this.#findLooks(syntax.body);
    this.#looks.set(syntax, this.#entries.length);
    this.#entries.push(this.#entry(syntax.body, !syntax.isBehind));
  }

  #entry(syntax: Syntax, isBackward: boolean): Entry {
    const at = this.#operations.length;
    this.#write(syntax, isBackward);
    this.#add(MATCH, 0);
    return { at, isBackward, isAnchored: false };
  }

  #write(syntax: Syntax, isBackward: boolean): void {
    switch (syntax.kind) {
      case 'character':
        this.#add(CHARACTER, syntax.point);
        break;
      case 'set':
        this.#add(SET, this.#setOf(syntax.source));
        break;
      case 'edge':
        this.#add(EDGE, edgeNames.indexOf(syntax.edge));
        break;
      case 'look':
        this.#add(syntax.isNegated ? NOT_LOOK : LOOK, this.#looks.get(syntax) ?? 0);
        break;
      case 'sequence':
        for (const part of isBackward ? syntax.parts.toReversed() : syntax.parts) {
          this.#write(part, isBackward);
        }
        break;
      case 'choice':
        this.#writeChoice(syntax.options, isBackward);
        break;
      case 'repeat':
        this.#writeRepeat(syntax, isBackward);
    }
  }

  #writeChoice(options: readonly Syntax[], isBackward: boolean): void {
    const ends: number[] = [];
    for (const [index, option] of options.entries()) {
      const isLast = index === options.length - 1;
      const split = isLast ? undefined : this.#add(SPLIT, 0);
      this.#write(option, isBackward);
      if (split === undefined) continue;
      ends.push(this.#add(JUMP, 0));
      this.#pointHere(split);
    }
    for (const end of ends) this.#pointHere(end);
  }

  #writeRepeat({ body, min, max }: Repeat, isBackward: boolean): void {
    let again = this.#operations.length;
    for (let i = 0; i < min; i++) {
      again = this.#operations.length;
      this.#write(body, isBackward);
    }
    if (Number.isFinite(max)) {
      const exits: number[] = [];
      for (let i = min; i < max; i++) {
        exits.push(this.#add(SPLIT, 0));
        this.#write(body, isBackward);
      }
      for (const exit of exits) this.#pointHere(exit);
    } else if (min > 0) {
      this.#add(SPLIT, again);
    } else {
      const exit = this.#add(SPLIT, 0);
      this.#write(body, isBackward);
      this.#add(JUMP, again);
      this.#pointHere(exit);
    }
  }

  #setOf(source: string): number {
    const known = this.#sets.get(source);
    if (known !== undefined) return known;
    this.#sets.set(source, this.#sets.size);
    return this.#sets.size - 1;
  }

  #add(operation: number, operand: number): number {
    this.#operands.push(operand);
    return this.#operations.push(operation) - 1;
  }

  #pointHere(instruction: number): void {
    this.#operands[instruction] = this.#operations.length;
  }
}
