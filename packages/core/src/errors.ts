/** Every way Forge fails, by a name that stays the same. Callers test the code, not the message. */
export type ForgeErrorCode =
  | 'invalid_tool'
  | 'invalid_agent'
  | 'invalid_schema'
  | 'invalid_options'
  | 'invalid_event'
  | 'model_failed'
  | 'tool_failed'
  | 'tool_timeout'
  | 'cancelled'
  | 'slot_stopped'
  /** Somebody else works on the run now: what this worker wanted to write is not written. */
  | 'lease_lost'
  /** The log went on since it was read. */
  | 'seq_conflict'
  /** Something came for the run that its worker has not read: it cannot end over that. */
  | 'unread_messages'
  | 'run_exists'
  | 'not_found'
  /** A decision, once taken, stands. */
  | 'already_decided'
  | 'expired'
  | 'not_allowed'
  /** The data is of a later version than this program. */
  | 'store_newer'
  | 'store_failed'
  /** There is no place to run it: no Docker, no image, no bubblewrap. */
  | 'sandbox_failed'
  /** What it was asked of has ended. */
  | 'not_running'
  | 'not_a_file'
  | 'already_exists'
  /** There may be no more of them for now. */
  | 'limit_reached'
  | 'too_large'
  /** A pipeline that could not be run as it is written. */
  | 'invalid_pipeline'
  /** The software could not be built, started or kept healthy; what ran before still does. */
  | 'deploy_failed'
  | 'nothing_to_roll_back';

const brand = Symbol.for('forge.error');

/**
 * The one error family. The message says what was wrong and what to do next.
 *
 * @example
 * throw new ForgeError('invalid_agent', 'requiredSteps names "fetch", which is not a tool. Tools: get.');
 */
export class ForgeError extends Error {
  readonly code: ForgeErrorCode;
  readonly [brand] = true;

  constructor(code: ForgeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ForgeError';
    this.code = code;
  }

  /** True for errors of any copy of this package, with that code if one is given. */
  static is(error: unknown, code?: ForgeErrorCode): error is ForgeError {
    if (typeof error !== 'object' || error === null || !(brand in error)) return false;
    return code === undefined || (error as ForgeError).code === code;
  }
}

/** The message of anything that was thrown, without a stack. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something was thrown that has no text'; // No prototype, or a toString that throws.
  }
}
