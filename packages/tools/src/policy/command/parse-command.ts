/** One program with its words, as a shell would start it. */
export interface SimpleCommand {
  /** `NAME=value` before the program. */
  readonly assignments: readonly string[];
  /** Quotes taken off. Never empty. */
  readonly argv: readonly [string, ...string[]];
}

export type ParsedCommand =
  | { readonly plain: true; readonly commands: readonly SimpleCommand[] }
  /** It means more than it says, or we do not know what it means. */
  | { readonly plain: false; readonly why: string };

/** What a shell does something with; quoted by single quotes it is a character like others. */
const expands = /[$`]/;
const refused: Readonly<Record<string, string>> = {
  $: 'a variable or a command in $…',
  '`': 'a command in `…`',
  '(': 'a subshell or function',
  ')': 'a subshell or function',
  '{': 'a group or braces that multiply words',
  '}': 'a group or braces that multiply words',
  '*': 'a pattern the shell fills in with names of files',
  '?': 'a pattern the shell fills in with names of files',
  '[': 'a pattern the shell fills in with names of files',
  '<': 'input from elsewhere',
  '>': 'output to a file',
  '#': 'a comment',
  '~': 'a home folder',
  '!': 'a negation or history',
};
const keywords = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc [[ ]] !'.split(
    ' ',
  ),
);
/**
 * Output thrown away or joined: harmless, and models love it. Not `&>`: to some shells that is the end
 * of a command, and what follows is another.
 */
const harmless = /^(?:[12]?>\s*\/dev\/null|2>&1)(?=[\s;&|]|$)/;

/**
 * Reads a line of shell as far as it is plain: words, quotes, and commands joined by `;`, `&&`,
 * `||` and `|`. Everything else is not plain. It fails closed: what it does not know it does not
 * read as something harmless. Linear in its input.
 */
export function parseCommand(text: string): ParsedCommand {
  const odd = oddCharacter(text);
  if (odd !== undefined) return { plain: false, why: odd };
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  /** False where there is nothing between two operators. */
  const endCommand = () => {
    endWord();
    const found = toCommand(words);
    words = [];
    if (found !== undefined) commands.push(found);
    return found !== undefined;
  };
  /** The last operator joins two commands. */
  let wantsMore = false;
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === ' ' || char === '\t') {
      endWord();
      at += 1;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { plain: false, why: 'a quote that is not closed' };
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) return { plain: false, why: 'a quote that is not closed' };
      const inside = text.slice(at + 1, end);
      if (expands.test(inside)) return { plain: false, why: refused.$ ?? '' };
      if (inside.includes('\\')) return { plain: false, why: 'a backslash within quotes' };
      word = (word ?? '') + inside;
      at = end + 1;
    } else if (char === '\\') {
      const next = text[at + 1];
      if (next === undefined) return { plain: false, why: 'a backslash at the end' };
      word = (word ?? '') + next;
      at += 2;
    } else {
      const redirect = word === undefined ? harmless.exec(text.slice(at, at + 40)) : null;
      if (redirect !== null) {
        at += redirect[0].length;
        continue;
      }
      const operator = ['&&', '||', ';', '|'].find((each) => text.startsWith(each, at));
      if (operator !== undefined) {
        if (text.startsWith('|&', at)) return { plain: false, why: 'an operator of one shell' };
        if (!endCommand()) return { plain: false, why: 'an operator with nothing before it' };
        wantsMore = operator !== ';';
        at += operator.length;
        continue;
      }
      if (char === '&') return { plain: false, why: 'a command in the background' };
      // Within a word `~`, `#` and `!` are what they are, as in `HEAD~1`; but `a=~` is a home folder.
      const isWithin =
        word !== undefined && '~#!'.includes(char) && !(char === '~' && /[=:]$/.test(word));
      const why = isWithin ? undefined : refused[char];
      if (why !== undefined) return { plain: false, why };
      word = (word ?? '') + char;
      at += 1;
    }
  }
  if (!endCommand() && wantsMore) {
    return { plain: false, why: 'an operator with nothing after it' };
  }
  if (commands.length === 0) return { plain: false, why: 'no command' };
  const keyword = commands.find(({ argv }) => keywords.has(argv[0]));
  if (keyword !== undefined) return { plain: false, why: `the word ${keyword.argv[0]}` };
  return { plain: true, commands };
}

/** A new line, a control character, or a space that is none: readers differ on what they mean. */
function oddCharacter(text: string): string | undefined {
  if (/[\n\r]/.test(text)) return 'more than one line';
  if (/[^\P{C}\t]/u.test(text)) return 'a control character or one that cannot be seen';
  if (/[^\S \t]/u.test(text)) return 'a space that is not one';
  return undefined;
}

function toCommand(words: readonly string[]): SimpleCommand | undefined {
  const first = words.findIndex((word) => !/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word));
  const [program, ...rest] = first < 0 ? [] : words.slice(first);
  if (program === undefined) return undefined;
  return { assignments: words.slice(0, first), argv: [program, ...rest] };
}
