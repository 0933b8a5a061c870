/** The command line, or what it names, is wrong: exit code 2. The message says what to write. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
