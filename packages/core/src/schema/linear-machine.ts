import { LimitExceeded } from './budget.ts';
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
import { isEdge, pointsOf } from './linear-text.ts';

/**
 * One search for a match, in time O(pattern × text): all ways to match go forward together, a
 * character at a time, and each instruction is looked at once for each place. A look-around is
 * first run over the text by itself, which tells the places where it holds.
 */
export class LinearMachine {
  /** Instructions looked at so far. */
  steps = 0;
  readonly #program: Program;
  readonly #maxSteps: number;
  readonly #points: Uint32Array;
  readonly #looks: Uint8Array[] = [];
  /** The last place (counted over all runs) at which an instruction was reached. */
  readonly #seen: Uint32Array;
  readonly #stack: Uint16Array;
  #place = 0;
  #waiting: Uint16Array;
  #next: Uint16Array;
  #nextCount = 0;
  #isMatch = false;

  /** `search` throws LimitExceeded once it has taken more than `maxSteps`. */
  constructor(program: Program, text: string, maxSteps: number) {
    if (text.length > maxSteps) throw tooLong();
    const size = program.operations.length;
    this.#program = program;
    this.#maxSteps = maxSteps;
    this.#points = pointsOf(text, program.isUnicode);
    this.#seen = new Uint32Array(size);
    this.#stack = new Uint16Array(2 * size + 1);
    this.#waiting = new Uint16Array(size);
    this.#next = new Uint16Array(size);
  }

  search(): boolean {
    const { looks, main } = this.#program;
    for (const look of looks) {
      const places = new Uint8Array(this.#points.length + 1);
      this.#run(look, (at) => {
        places[at] = 1;
        return true;
      });
      this.#looks.push(places);
    }
    let isFound = false;
    this.#run(main, () => {
      isFound = true;
      return false;
    });
    return isFound;
  }

  /** Calls `onMatch` with the places where a match ends, until it returns false. */
  #run({ at: entry, isBackward, isAnchored }: Entry, onMatch: (at: number) => boolean): void {
    const { length } = this.#points;
    let waitingCount = 0;
    for (let done = 0; done <= length; done++) {
      const at = isBackward ? length - done : done;
      this.#place += 1;
      this.#nextCount = 0;
      this.#isMatch = false;
      if (done > 0) {
        const point = this.#points[isBackward ? at : at - 1] ?? 0;
        this.#advance(waitingCount, point, at);
      }
      if (done === 0 || !isAnchored) this.#reach(entry, at);
      if (this.#isMatch && !onMatch(at)) return;
      if (isAnchored && this.#nextCount === 0) return;
      if (this.steps > this.#maxSteps) throw tooLong();
      waitingCount = this.#nextCount;
      [this.#waiting, this.#next] = [this.#next, this.#waiting];
    }
  }

  /** Takes one character: the instructions it satisfies lead on. */
  #advance(waitingCount: number, point: number, at: number): void {
    const { operations, operands, sets } = this.#program;
    for (let i = 0; i < waitingCount; i++) {
      const instruction = this.#waiting[i] ?? 0;
      const operand = operands[instruction] ?? 0;
      const takes = operations[instruction] === SET ? sets[operand]?.has(point) : operand === point;
      if (takes === true) this.#reach(instruction + 1, at);
    }
  }

  /** Notes the instructions that can be reached here without taking a character. */
  #reach(first: number, at: number): void {
    const { operations, operands } = this.#program;
    const stack = this.#stack;
    let height = 0;
    stack[height++] = first;
    while (height > 0) {
      const instruction = stack[--height] ?? 0;
      if (this.#seen[instruction] === this.#place) continue;
      this.#seen[instruction] = this.#place;
      this.steps += 1;
      const operand = operands[instruction] ?? 0;
      switch (operations[instruction]) {
        case CHARACTER:
        case SET:
          this.#next[this.#nextCount++] = instruction;
          break;
        case SPLIT:
          stack[height++] = operand;
          stack[height++] = instruction + 1;
          break;
        case JUMP:
          stack[height++] = operand;
          break;
        case EDGE:
          if (isEdge(this.#points, at, edgeNames[operand])) stack[height++] = instruction + 1;
          break;
        case LOOK:
          if (this.#looks[operand]?.[at] === 1) stack[height++] = instruction + 1;
          break;
        case NOT_LOOK:
          if (this.#looks[operand]?.[at] === 0) stack[height++] = instruction + 1;
          break;
        case MATCH:
          this.#isMatch = true;
      }
    }
  }
}

function tooLong(): LimitExceeded {
  return new LimitExceeded('a text takes too long to be matched against a pattern');
}
