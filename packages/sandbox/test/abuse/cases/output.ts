import { neutralise } from '@forge/core';
import { run } from '../../../src/conformance/kit.ts';
import { type AbuseCase, type AbuseGroup, broken, held } from '../abuse-case.ts';

interface Print {
  readonly name: string;
  readonly tries: string;
  readonly bytes: Buffer;
  /** Characters that must not be left in what is shown. */
  readonly never: string;
}

const esc = '\u001b';
const printed: readonly Print[] = [
  {
    name: 'colours and cursors',
    tries: 'ANSI sequences that erase the screen and write over it',
    bytes: Buffer.from(`${esc}[2J${esc}[H${esc}[31mapproved${esc}[0m\u009b1A`),
    never: '\u001b\u009b',
  },
  {
    name: 'links and the clipboard',
    tries: 'OSC 8 links that lie, OSC 52 that fills the clipboard, a new title',
    bytes: Buffer.from(
      `${esc}]8;;http://evil${esc}\\here${esc}]8;;${esc}\\${esc}]52;c;ZXZpbA==\u0007${esc}]0;x\u0007`,
    ),
    never: '\u001b\u0007',
  },
  {
    name: 'text that runs backwards',
    tries: 'bidi controls, zero-width and tag characters',
    bytes: Buffer.from('safe\u202etxt.exe\u2066x\u2069\u200bx\u{e0041}'),
    never: '\u202e\u2066\u2069\u200b\u{e0041}',
  },
  {
    name: 'bytes that are no text',
    tries: 'invalid UTF-8, NUL, overlong forms, half characters',
    bytes: Buffer.from([0xff, 0xfe, 0x00, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x0a]),
    never: '\0',
  },
  {
    name: 'forged lines',
    tries: 'carriage returns and separators, to write a line of the log itself',
    bytes: Buffer.from('10%\rERROR\u2028{"level":"info"}\u0085done\u000bx\u000cx\n'),
    never: '\r\u2028\u0085\u000b\u000c',
  },
  {
    name: 'marks of the channel',
    tries: 'prints what the end of a command looks like',
    bytes: Buffer.from(`\u001e${'0'.repeat(32)} E 0 0\n\u001e E\n\u001e`),
    never: '\u001e',
  },
];

/** Printed as it is, byte for byte, and harmless once it is shown. */
function printCase({ name, tries, bytes, never }: Print): AbuseCase {
  return {
    name,
    tries,
    on: { process: 'holds' },
    attempt: async ({ sandbox }) => {
      const ran = await run(sandbox, { argv: ['cat'], stdin: bytes });
      if (!bytes.equals(Buffer.from(ran.stdout))) return broken('other bytes arrived');
      const shown = neutralise(ran.out);
      return [...never].some((character) => shown.includes(character))
        ? broken(JSON.stringify(shown))
        : held('arrives whole, is shown harmless');
    },
  };
}

/** What is printed. */
export const output: AbuseGroup = { title: 'What is printed', cases: printed.map(printCase) };
