import { ForgeError } from '@forge/core';

const brand = Symbol.for('forge.mcp.login-required');

/** The server wants a person to log in. Trying again without that is of no use. */
export class LoginRequired extends ForgeError {
  readonly [brand] = true;

  constructor(server: string, why: string) {
    super(
      'not_allowed',
      `MCP server "${server}" wants a login: ${why} Run: forge mcp login ${server}`,
    );
  }

  static isInstance(error: unknown): error is LoginRequired {
    return typeof error === 'object' && error !== null && brand in error;
  }
}
