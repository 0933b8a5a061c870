import { ForgeError } from '@forge/core';
import { type Glob, parseGlob } from './glob.ts';

/** What an argument must be like. Without a name it is the tool's main argument. */
export type Condition =
  | { readonly type: 'like'; readonly argument: string | undefined; readonly glob: Glob }
  | {
      readonly type: 'at_most' | 'at_least';
      readonly argument: string;
      readonly bound: number;
    };

/** Which calls a rule is about. */
export interface CallPattern {
  readonly text: string;
  readonly tool: Glob;
  /** None: whatever the arguments are. */
  readonly condition: Condition | undefined;
}

export const longestPattern = 500;
const named = /^([\p{L}_$][\p{L}\p{N}_$-]*)(<=|>=|=)(.*)$/u;

/**
 * Reads a pattern:
 *
 * - `search`, `github_*`: calls of that tool, or of all whose names are like that;
 * - `shell(git status*)`: where its main argument (its first required text, such as the command, the
 *   path, the query) is like that;
 * - `write_file(path=src/**)`: where the argument of that name is like that;
 * - `pay(amount<=100)`, `pay(amount>=100)`: where that argument is a number up to, or from, that.
 *
 * `*` stands for anything the kind of argument allows (see `kindOf`), `\*` for a star. What cannot
 * be read is `invalid_options`, with what to write instead.
 */
export function parsePattern(text: string): CallPattern {
  if (typeof text !== 'string' || text.trim() === '') {
    throw invalid(`A pattern names a tool, such as search or shell(git status*).`);
  }
  if (text.length > longestPattern) {
    throw invalid(`A pattern has at most ${longestPattern} characters, not ${text.length}.`);
  }
  if (/\p{Cc}/u.test(text))
    throw invalid(`A pattern is one line: "${text}" has control characters.`);
  const open = text.indexOf('(');
  const name = open < 0 ? text : text.slice(0, open);
  if (name === '' || /\s/.test(name)) {
    throw invalid(
      `"${text}" does not begin with the name of a tool. Write it as tool or tool(pattern), without spaces around the name.`,
    );
  }
  const tool = parseGlob(name);
  if (open < 0) return { text, tool, condition: undefined };
  if (!text.endsWith(')')) {
    throw invalid(`"${text}" has no closing parenthesis at its end. Write it as ${name}(pattern).`);
  }
  return { text, tool, condition: parseCondition(name, text.slice(open + 1, -1)) };
}

function parseCondition(tool: string, said: string): Condition | undefined {
  if (said.trim() === '') {
    throw invalid(`"${tool}(${said})" says nothing of the arguments. Write ${tool} for all calls.`);
  }
  if (said === '*' || said === '**') return undefined;
  const [, argument = '', sign, rest = ''] = named.exec(said) ?? [];
  if (sign === undefined) return { type: 'like', argument: undefined, glob: parseGlob(said) };
  if (sign === '=') return { type: 'like', argument, glob: parseGlob(rest) };
  const bound = Number(rest);
  if (rest.trim() === '' || !Number.isFinite(bound)) {
    throw invalid(
      `"${tool}(${said})" compares ${argument} with "${rest}", which is no number. Write it like ${tool}(${argument}${sign}100).`,
    );
  }
  return { type: sign === '<=' ? 'at_most' : 'at_least', argument, bound };
}

function invalid(message: string): ForgeError {
  return new ForgeError('invalid_options', message);
}
