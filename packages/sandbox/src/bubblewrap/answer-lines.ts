import type { Readable } from 'node:stream';

/** Longer than anything the first process says. */
const longestLine = 100;

/**
 * The lines of the first process. A command may have taken it over (its memory is that of the same
 * user): what is longer than any answer is not kept but told to `onNonsense`, and nothing more is
 * read. Never fails: when the stream ends, whatever way, so do the lines.
 */
export async function* answerLines(
  input: Readable,
  onNonsense: () => void,
): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const text of input.setEncoding('latin1')) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine || lines.some((line) => line.length > longestLine)) {
        onNonsense();
        return;
      }
      yield* lines;
    }
  } catch {
    // It is gone, and whoever owns it knows.
  }
}
