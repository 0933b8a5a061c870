import { isOption } from './is-option.ts';

/** What a subcommand must not be given for a star to stand for the rest. */
interface Subcommand {
  readonly options?: RegExp;
  /** A word that is no option, like this. */
  readonly operands?: RegExp;
  /** The first word that is no option, where there is one, must be like this. */
  readonly first?: RegExp;
}

/** Before the subcommand: all others say where git finds its configuration, or what it runs. */
const globals = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs']);

/** Whatever the subcommand: another program, or a file to write. */
const anywhere =
  /^(?:--ext-diff|--textconv|--filters|--output.*|--exec.*|--upload-pack.*|--receive-pack.*|--open-files-in-pager.*|--no-index|--template.*|--separate-git-dir.*|--recurse-submodules.*|--edit.*|--strategy.*|--help)$/;

/** A place that is no remote of this repository: pushed to, a folder of it runs its own hooks. */
const elsewhere = /^(?:[./~\\]|[^/]*::|[a-z+]+:\/\/|[^/]*@[^/]*:|[\w.-]+\.[\w.-]*:)/i;

const plain: Subcommand = {};
const remote: Subcommand = { operands: elsewhere, first: /^[^:]*$/ };
const look =
  'status diff show log shortlog whatchanged reflog blame annotate describe rev-parse rev-list ls-files ls-tree cat-file merge-base name-rev show-ref show-branch for-each-ref diff-tree diff-index diff-files count-objects check-ignore version';
const change =
  'commit branch checkout switch restore stash tag reset mv rm cherry-pick revert init';

const subcommands: ReadonlyMap<string, Subcommand> = new Map([
  ...`${look} ${change}`.split(' ').map((name) => [name, plain] as const),
  ['add', { options: /^(?:-[a-zA-Z]*[eip].*|--interactive|--patch)$/ }],
  ['grep', { options: /^-[a-zA-Z]*O.*$/ }],
  ['merge', { options: /^-[a-zA-Z]*s.*$/ }],
  ['rebase', { options: /^(?:-[a-zA-Z]*[xis].*|--interactive)$/ }],
  ['fetch', remote],
  ['push', { ...remote, options: /^(?:--repo.*|-[a-zA-Z]*o.*|--push-option.*)$/ }],
  ['pull', { ...remote, options: /^-[a-zA-Z]*s.*$/ }],
  ['ls-remote', remote],
  ['remote', { operands: elsewhere, first: /^(?:show|get-url)$/ }],
]);

/**
 * Why a command of git may do more than its name says. The subcommands are listed, as git has some
 * two hundred, an alias may have any name, and many run a program or write a file they are told.
 */
export function hiddenInGit(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => !globals.has(word));
  const [name, ...rest] = at < 0 ? [] : words.slice(at);
  if (name === undefined || (name === '--version' && rest.length === 0)) return undefined;
  const found = subcommands.get(name);
  if (found === undefined) return `git ${name} can run or write something else`;
  const { options, operands, first } = found;
  const operand = rest.find((word) => !word.startsWith('-'));
  const odd =
    operand !== undefined && first?.test(operand) === false
      ? operand
      : rest.find((word) =>
          word.startsWith('-')
            ? isOption(word, anywhere) || isOption(word, options)
            : operands?.test(word),
        );
  return odd === undefined ? undefined : `git ${name} ${odd} can run or write something else`;
}
