const brand = Symbol.for('forge.tool-resolution-error');

/**
 * Thrown by a tool that worked but found nothing: no such file, no such user. The model is
 * told, no step is completed, and no error budget is spent.
 *
 * @example
 * throw new ToolResolutionError('No user "ann". Known users: bob, eve.');
 */
export class ToolResolutionError extends Error {
  readonly [brand] = true;
  override readonly name = 'ToolResolutionError';

  /** True for errors of any copy of this package. */
  static is(error: unknown): error is ToolResolutionError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}
