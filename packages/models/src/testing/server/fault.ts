import type { WireError } from '../../wire/wire-error.ts';

/**
 * Milliseconds, or a function that gives what to wait for, if anything. `chunk` is what would be
 * sent next; `signal` aborts when the client leaves.
 */
export type Wait = number | ((chunk: string, signal: AbortSignal) => Promise<unknown> | undefined);

/** Bytes of the body that are sent first. Without it not even the head is. */
interface AfterBytes {
  readonly afterBytes?: number;
}

/** Something else is sent than the reply. */
export type ContentFault =
  /** An error by its status alone; the body is what the wire says for it unless given. */
  | {
      readonly type: 'status';
      readonly status: number;
      /** As the header has it: seconds or a date. */
      readonly retryAfter?: string;
      readonly body?: string;
    }
  /** A web page, as from a proxy in between. */
  | { readonly type: 'html'; readonly status?: number }
  /** Broken JSON in the place of the reply, or of the frames of its stream. */
  | { readonly type: 'malformed_json' }
  /** The error comes where a stream would have finished, or instead of a whole reply. */
  | { readonly type: 'late_error'; readonly error: WireError }
  /** Bytes that are no text, under the right content type. */
  | { readonly type: 'malformed_bytes' };

/** The reply is sent, but not as it should be. */
export type DeliveryFault =
  /** The body ends early, as if that were all. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** The connection is closed. */
  | ({ readonly type: 'hang_up' } & AfterBytes)
  /** The connection is reset. */
  | ({ readonly type: 'reset' } & AfterBytes)
  /** Nothing more comes until the client leaves. */
  | ({ readonly type: 'stall' } & AfterBytes)
  /** The head promises `by` more bytes than there are, or fewer if negative. */
  | { readonly type: 'wrong_length'; readonly by: number };

export type Fault = ContentFault | DeliveryFault;

const deliveryFaults: ReadonlySet<string> = new Set<DeliveryFault['type']>([
  'cut',
  'hang_up',
  'reset',
  'stall',
  'wrong_length',
]);

export function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return deliveryFaults.has(fault.type);
}
