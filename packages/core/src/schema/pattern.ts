import { LimitExceeded } from './budget.ts';
import { compileProgram } from './linear-compiler.ts';
import { BacktrackingLimit } from './linear-cost.ts';
import { LinearMachine } from './linear-machine.ts';
import { parsePattern } from './linear-parser.ts';
import type { Program } from './linear-program.ts';

/** Steps of `RegExp` in which a match is sure to end, else our own engine is used: about 1 ms. */
const QUICK = 400_000;
/** Steps any match may take. */
const MOST = 5_000_000;
/** Instructions of a program that is kept from one text to the next. */
const KEPT = 1_000;

export interface Pattern {
  readonly source: string;
  /** Throws LimitExceeded for a text too long to be matched safely. */
  matches(text: string): boolean;
}

/**
 * A pattern as JSON Schema means it: not anchored, read as Unicode, or without the flag where
 * Unicode mode refuses it (`\-`, `\_` and the like are common in the wild). Undefined when it is
 * not a regular expression at all.
 *
 * `RegExp` backtracks and cannot be interrupted: `^(a+)+$` takes for ever with 40 characters. It
 * gets the texts for which it is shown to be quick; the others go to an engine of our own, whose
 * time is linear. What neither can do within bounds is refused, never waved through.
 */
export function compilePattern(source: string): Pattern | undefined {
  const expression = toRegExp(source, 'u') ?? toRegExp(source, '');
  if (expression === undefined) return undefined;
  let plan: Plan | undefined;
  return {
    source,
    matches(text) {
      plan ??= planFor(source, expression.unicode);
      if (plan.quick?.allows(text.length)) return test(expression, text);
      const program = plan.program();
      if (program !== undefined) return new LinearMachine(program, text, MOST).search();
      if (plan.last?.allows(text.length)) return test(expression, text);
      throw tooLong();
    },
  };
}

/** What a text is matched by: the first of these that can do it. */
interface Plan {
  readonly quick: BacktrackingLimit | undefined;
  readonly program: () => Program | undefined;
  readonly last: BacktrackingLimit | undefined;
}

function planFor(source: string, isUnicode: boolean): Plan {
  const syntax = parsePattern(source, isUnicode);
  if (syntax === undefined) return { quick: undefined, program: none, last: undefined };
  return {
    quick: new BacktrackingLimit(syntax, QUICK),
    program: keepingSmall(() => compileProgram(syntax, isUnicode)),
    last: new BacktrackingLimit(syntax, MOST),
  };
}

function none(): undefined {}

/** Larger programs are written anew for each text, lest a short pattern hold much memory. */
function keepingSmall(write: () => Program | undefined): () => Program | undefined {
  let kept: Program | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const program = write();
    if (program !== undefined && program.operations.length <= KEPT) kept = program;
    return program;
  };
}

/** `RegExp` throws where its own stack is too small for the text. */
function test(expression: RegExp, text: string): boolean {
  try {
    return expression.test(text);
  } catch {
    throw tooLong();
  }
}

function tooLong(): LimitExceeded {
  return new LimitExceeded('a text is too long to be matched against a pattern');
}

function toRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
