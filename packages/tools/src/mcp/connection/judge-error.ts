import { ForgeError, messageOf, neutralise } from '@forge/core';
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { LoginRequired } from './login-required.ts';

/**
 * What an error of a call says about its connection.
 * - `answered`: the server is there and said no.
 * - `session`: it no longer knows our session, so it did nothing.
 * - `login`: it wants a (new) login.
 * - `gone`: the connection is of no use any more; whether the call was carried out is unknown.
 */
export type ErrorKind = 'answered' | 'session' | 'login' | 'gone';

export function judgeError(error: unknown, hadSession: boolean): ErrorKind {
  if (ProtocolError.isInstance(error)) return 'answered';
  if (LoginRequired.isInstance(error) || isAuthError(error)) return 'login';
  // Our own no: time is up, the tool is another one by now, the answer is too long.
  if (ForgeError.is(error)) return 'answered';
  if (SdkHttpError.isInstance(error)) {
    const { status, text } = error.data;
    if (hadSession && status === 404) return 'session';
    // Not what the protocol asks for, but common: the session is refused as a bad request.
    if (hadSession && status === 400 && /session/i.test(String(text ?? ''))) return 'session';
    return status === 401 ? 'login' : 'answered';
  }
  if (SdkError.isInstance(error)) {
    switch (error.code) {
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.NotConnected:
      case SdkErrorCode.SendFailed:
        return 'gone';
      default:
        return 'answered';
    }
  }
  return 'gone';
}

function isAuthError(error: unknown): boolean {
  return UnauthorizedError.isInstance(error) || InsufficientScopeError.isInstance(error);
}

const longest = 1_000;

/** The message of an error and of what lies under it, in a line or two. A server may have written it. */
export function explainError(error: unknown): string {
  const said = messageOf(error);
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : '';
  const whole = cause === '' || said.includes(cause) ? said : `${said}: ${cause}`;
  const cut = neutralise(whole.length > longest ? `${whole.slice(0, longest)}…` : whole);
  const isRefused = SdkHttpError.isInstance(error) && error.data.status === 401;
  return isRefused ? `${cut}. Check the token in its headers, or log in: forge mcp login` : cut;
}
