import { inspect } from 'node:util';
import type { Terminal } from './terminal.ts';

/** Says what went wrong and what to do next. Where it came from is shown only when asked for. */
export async function reportError(
  error: unknown,
  { terminal, verbose }: { terminal: Terminal; verbose: boolean },
): Promise<void> {
  if (verbose) {
    terminal.err(inspect(error, { colors: terminal.color }));
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (await isForgeError(error)) {
    terminal.err(`forge: ${message}`);
  } else {
    terminal.err(`forge: an unexpected error: ${message}`);
    terminal.err('Run it again with --verbose to see where it came from.');
  }
}

/** The kernel is loaded only now, and the error may be that it cannot be. */
async function isForgeError(error: unknown): Promise<boolean> {
  try {
    const { ForgeError } = await import('@forge/core');
    return ForgeError.is(error);
  } catch {
    return false;
  }
}
