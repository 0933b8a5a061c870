import { posix } from 'node:path';
import { hiddenProgram } from '../command/hidden-program.ts';
import { parseCommand } from '../command/parse-command.ts';
import { everything, type Reach } from './glob.ts';

/**
 * What the text of an argument means to whoever runs it, as far as a rule has to care. A rule that
 * allows fails closed: it sees only texts that mean what they say. A rule that denies looks at every
 * way the text may be read.
 */
export interface ArgumentKind {
  /** What a `*` may stand for in a rule that allows. */
  readonly allowReach: Reach;
  readonly denyReach: Reach;
  /** The text as a rule that allows sees it; none if it may mean something else. */
  readonly plain: (text: string) => readonly string[];
  /** All that a rule that denies looks at. */
  readonly readings: (text: string) => readonly string[];
  /** A list is one text, as the words of a command are; else each of its members is one. */
  readonly isJoined?: boolean;
  /** Whether the text says enough for a rule with something wild in it to allow it. */
  readonly tellsAll?: (text: string) => boolean;
}

const special = /[;&|<>$`\\(){}\p{Cc}\u2028\u2029]/u;
const specials = new RegExp(`${special.source}+`, 'gu');
const control = /[\p{Cc}\\]/u;

const withinName: Reach['star'] = (char) => char !== '/' && !control.test(char);

/**
 * Text of which nothing is known, so it may be a command: what a shell would take for more than a word (`;`,
 * `|`, `$`, a new line…) is never what a `*` stands for. A rule that denies looks at each command of
 * a line as well.
 */
const words: ArgumentKind = {
  allowReach: { star: (char) => !special.test(char), deep: (char) => !special.test(char) },
  denyReach: everything,
  plain: (text) => [text],
  readings: (text) =>
    [text, ...text.split(specials)].flatMap((each) => {
      const tidy = each.trim().replace(/\s+/g, ' ');
      return tidy === each ? [each] : [each, tidy];
    }),
};

/**
 * A command. A rule that denies sees its words without their quotes too; one that allows takes only
 * what can be read as one plain command of a program that does what its name says.
 */
const command: ArgumentKind = {
  ...words,
  isJoined: true,
  readings: (text) => {
    const parsed = parseCommand(text);
    const plain = parsed.plain ? parsed.commands.map(({ argv }) => argv.join(' ')) : [];
    return [...words.readings(text), ...plain];
  },
  tellsAll: (text) => {
    const parsed = parseCommand(text);
    return (
      parsed.plain &&
      parsed.commands.every(
        ({ argv, assignments }) => assignments.length === 0 && hiddenProgram(argv) === undefined,
      )
    );
  },
};

/** A path: `*` stays within a folder, `**` goes below it, and nothing goes up. */
const path: ArgumentKind = {
  allowReach: { star: withinName, deep: (char) => !control.test(char) },
  denyReach: { star: (char) => char !== '/', deep: () => true },
  plain: (text) => {
    const file = text.startsWith('./') ? text.slice(2) : text;
    const names = (file.startsWith('/') ? file.slice(1) : file).split('/');
    const isPlain = !file.startsWith('~') && !names.some((name) => ['', '.', '..'].includes(name));
    return isPlain ? [file] : [];
  },
  readings: (text) =>
    [text, text.replaceAll('\\', '/')].flatMap((each) => {
      const tidy = posix.normalize(each);
      // A tool may pass over a slash at the end.
      const bare = tidy.length > 1 && tidy.endsWith('/') ? tidy.slice(0, -1) : tidy;
      return [each, tidy, bare, ...belowRoots(bare)];
    }),
};

/** Where a workspace may lie, and how long a path is that a system still takes. */
const deepestRoot = 16;
const longestPath = 8_192;

/** A whole path as it looks from each of the folders above: one of them may be the workspace. */
function belowRoots(path: string): readonly string[] {
  if (!path.startsWith('/') || path.length > longestPath) return [];
  const names = path.slice(1).split('/');
  return names.slice(0, deepestRoot).map((_, index) => names.slice(index).join('/'));
}

/** An address: `*` stays within a part of it, `**` does not; only those written plainly are allowed. */
const url: ArgumentKind = {
  allowReach: {
    star: (char) => withinName(char) && !'?#@'.includes(char),
    deep: (char) => !control.test(char),
  },
  denyReach: { star: (char) => !'/?#@'.includes(char), deep: () => true },
  plain: (text) => {
    const address = URL.parse(text);
    if (address === null || address.username !== '' || address.password !== '') return [];
    return address.href === text || address.href === `${text}/` ? [text, address.href] : [];
  },
  readings: (text) => {
    const address = URL.parse(text);
    if (address === null) return [text];
    // The dot at the end of a host changes nothing about where it is.
    const href = address.href.replace(/^([a-z]+:\/\/[^/:]*)\.(?=[:/])/, '$1');
    return [text, address.href, href];
  },
};

const kinds: readonly (readonly [RegExp, ArgumentKind])[] = [
  [/(^|_)(command|cmd|script|argv)$/, command],
  [/(^|_)(paths?|files?|filenames?|dirs?|directory|directories|folders?|cwd)$/, path],
  [/(^|_)(urls?|uris?|href|links?)$/, url],
];

/** By the argument's name (`path`, `file_path`, `filePath`, `url`…); text of any meaning if it says nothing. */
export function kindOf(argument: string): ArgumentKind {
  const name = argument.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return kinds.find(([pattern]) => pattern.test(name))?.[1] ?? words;
}
