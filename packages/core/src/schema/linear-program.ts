import type { CharacterSet } from './linear-set.ts';
import type { Edge } from './linear-syntax.ts';

export const CHARACTER = 0;
export const SET = 1;
/** Go on, and at the operand as well. */
export const SPLIT = 2;
export const JUMP = 3;
export const EDGE = 4;
export const LOOK = 5;
export const NOT_LOOK = 6;
export const MATCH = 7;

export const edgeNames: readonly Edge[] = ['start', 'end', 'word', 'inside'];

/** A part of the program that is run over the whole text by itself. */
export interface Entry {
  readonly at: number;
  /** From the end of the text to its start: how a look ahead learns all places where it holds. */
  readonly isBackward: boolean;
  /** The run may end early: a match can only begin where the text does. */
  readonly isAnchored: boolean;
}

/** Instructions of a nondeterministic machine: each has an operation and one operand. */
export interface Program {
  readonly operations: Uint8Array;
  readonly operands: Int32Array;
  readonly sets: readonly CharacterSet[];
  /** Look-arounds, those inside others first. */
  readonly looks: readonly Entry[];
  readonly main: Entry;
  readonly isUnicode: boolean;
}
