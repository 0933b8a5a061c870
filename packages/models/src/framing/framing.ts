import { ModelError } from '../wire/model-error.ts';
import type { Frame } from '../wire/wire.ts';

/**
 * Bytes to frames, wherever the bytes were cut. A frame comes out with the push that completed
 * it. Throws `ModelError('bad_response')` when one frame outgrows the limit, and again on every
 * push after that.
 */
export interface FrameDecoder {
  push(bytes: Uint8Array): Frame[];
  /** The bytes have ended. Gives what was complete but for its closing line. */
  end(): Frame[];
  /** Characters kept for a frame that is not complete yet. */
  readonly held: number;
}

export interface FramingOptions {
  /** Most characters one frame may have. */
  readonly limit?: number;
}

/** Room for a reply with an image in it; far from what would hurt the process. */
export const defaultFrameLimit = 16 * 1024 * 1024;

export function frameTooLong(limit: number): ModelError {
  return new ModelError({
    kind: 'bad_response',
    message: `The stream has a frame of more than ${limit} characters. Is this a model's API?`,
  });
}
