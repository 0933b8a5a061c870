import type { OutputChunk } from '../sandbox.ts';

/** What one argument or variable may have at most: `MAX_ARG_STRLEN` of the kernel, with its NUL. */
const longestText = 131_072;

/** The first argument or variable that no program can be given, for a message. */
export function tooLong(texts: readonly string[]): string | undefined {
  const long = texts.find((text) => Buffer.byteLength(text) >= longestText);
  if (long === undefined) return undefined;
  return `An argument or a variable is too long: ${Buffer.byteLength(long)} bytes, where Linux takes ${longestText - 1}. Pass it by stdin or in a file.`;
}

/**
 * Why a program could not be started after all: `setsid`, `env` or the loop says so where the
 * program would have spoken. Undefined if it was the program itself that ended with 126 or 127.
 */
export function execComplaint(code: number, stderr: string): string | undefined {
  if (code !== 126 && code !== 127) return undefined;
  const [, words] =
    /^(?:setsid|env|forge)(?:: line)?: ([^\n]*(?:execut|exec:|No such file|too long|denied|format error)[^\n]*)\n$/i.exec(
      stderr,
    ) ?? [];
  return words;
}

type OnData = (stream: OutputChunk['stream'], bytes: Buffer) => void;

/** Passes output on and keeps the little that a program which never started leaves. */
export class Heard {
  readonly #pass: OnData;
  #text = '';
  #only = true;

  constructor(pass: OnData) {
    this.#pass = pass;
  }

  hear(stream: OutputChunk['stream'], bytes: Buffer): void {
    if (this.#only) {
      this.#only = stream === 'stderr' && this.#text.length + bytes.length < 1_000;
      this.#text += this.#only ? bytes.toString('utf8') : '';
    }
    this.#pass(stream, bytes);
  }

  complaint(): string {
    return this.#only ? this.#text : '';
  }
}
