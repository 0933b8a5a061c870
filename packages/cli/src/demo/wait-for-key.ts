import { once } from 'node:events';

/** The parts of a terminal's input that are needed to hear a single key. */
interface Keyboard extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
}

const interrupt = '\u0003';

/**
 * Waits until any key is pressed, or the signal aborts. The terminal is as it was before, whatever
 * happens. `interrupted` if the key was Ctrl-C, which a raw terminal gives as a character.
 */
export async function waitForKey(
  stdin: Keyboard,
  signal: AbortSignal,
): Promise<'pressed' | 'interrupted'> {
  const wasRaw = stdin.isRaw === true;
  stdin.setRawMode?.(true);
  stdin.resume();
  try {
    const [bytes] = await once(stdin, 'data', { signal });
    return String(bytes).startsWith(interrupt) ? 'interrupted' : 'pressed';
  } catch (error) {
    if (signal.aborted) return 'interrupted';
    throw error;
  } finally {
    stdin.setRawMode?.(wasRaw);
    stdin.pause();
  }
}
