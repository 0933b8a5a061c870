import { hiddenInGit } from './hidden-in-git.ts';
import { isOption } from './is-option.ts';
import { programs } from './known-programs.ts';

/** Why a command does more than its name says, or undefined if it does what it says. */
export function hiddenProgram(argv: readonly string[]): string | undefined {
  const [program = '', ...words] = argv;
  if (program.includes('/')) return `${program} is a file of that name, which may be anything`;
  if (program === 'git') return hiddenInGit(words);
  const known = Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (known === undefined) return undefined;
  if (known.always !== undefined) return `${program}: ${known.always}`;
  const script = words.find((word) => !word.startsWith('-'));
  const found =
    known.script !== undefined && script !== undefined && !known.script.test(script)
      ? script
      : words.find((word) =>
          word.startsWith('-') ? isOption(word, known.options) : known.operands?.test(word),
        );
  return found === undefined ? undefined : `${program} ${found} can run or write something else`;
}
