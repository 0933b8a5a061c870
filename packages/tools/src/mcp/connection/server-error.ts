import { ForgeError } from '@forge/core';

/**
 * A call that failed at the server or on the way to it. `said` may be the server's words: whoever
 * shows it to a model marks it as such. The message has both, for people.
 */
export class ServerError extends ForgeError {
  readonly said: string;
  /** What we know beside it. */
  readonly note: string;

  constructor({
    server,
    said,
    note = '',
  }: {
    readonly server: string;
    readonly said: string;
    readonly note?: string;
  }) {
    super('tool_failed', `MCP server "${server}": ${said}. ${note}`.trimEnd());
    this.said = said;
    this.note = note;
  }
}
