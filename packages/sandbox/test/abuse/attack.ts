import { run } from '../../src/conformance/kit.ts';
import { type AbuseCase, broken, held, type Verdict } from './abuse-case.ts';
import type { HostPlants } from './host-plants.ts';
import type { Stage } from './stage.ts';

export interface Attack extends Omit<AbuseCase, 'attempt'> {
  /**
   * What runs inside. It prints a line `HELD how` for each way that was closed and `BROKE how` for
   * each that was open; one that prints neither was no attack, and is an error of the suite.
   */
  readonly sh?: string;
  /** The same in Perl: it can make any system call, and every Debian has it. See `prelude`. */
  readonly perl?: string;
  /** `$1`… in sh, `@ARGV` in Perl. */
  readonly args?: (host: HostPlants) => readonly string[];
  /** What the host has to say about it afterwards: a sentence if harm was done. */
  readonly harm?: (host: HostPlants) => string | undefined;
}

const prelude = `
use Socket; use Errno;
$| = 1;
sub held { print "HELD @_\\n" }
sub broke { print "BROKE @_\\n" }
# Refused means refused by the kernel: any other complaint is about the arguments, and it was let in.
sub refused { $!{EPERM} || $!{ENOSYS} || $!{EACCES} || $!{EAFNOSUPPORT} }
`;

/** A case that is one script, judged by what it prints. */
export function attack({ sh, perl, args, harm, ...about }: Attack): AbuseCase {
  return {
    ...about,
    attempt: async (stage) => {
      const given = args?.(stage.host) ?? [];
      const argv =
        perl === undefined
          ? (['sh', '-c', sh ?? '', 'sh', ...given] as const)
          : (['perl', '-e', `${prelude}${perl}`, '--', ...given] as const);
      const { out, err, end } = await run(stage.sandbox, { argv });
      const trouble = harm?.(stage.host);
      if (trouble !== undefined) return broken(trouble);
      return readVerdict(stage, out, `${JSON.stringify(end)} ${err}`);
    },
  };
}

function readVerdict({ host }: Stage, out: string, otherwise: string): Verdict {
  const lines = [...out.matchAll(/^(HELD|BROKE)(?: (.*))?$/gm)].map(([, what, how = '']) => ({
    what,
    how,
  }));
  const [first] = lines.filter(({ what }) => what === 'BROKE');
  if (first !== undefined) return broken(first.how);
  if (out.includes(host.secret)) return broken('the secret of the host was printed');
  if (lines.length === 0)
    throw new Error(`The attack did not run: ${out.slice(0, 500)} ${otherwise}`);
  return held([...new Set(lines.map(({ how }) => how.toLowerCase()))].slice(0, 3).join(', '));
}
