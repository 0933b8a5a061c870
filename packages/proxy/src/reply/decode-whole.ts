import { ModelError, type Wire, type WireReply } from '@forge/models';

/** A whole reply from its bytes. Throws `bad_response` for what is none. */
export function decodeWhole(wire: Wire, body: Buffer): WireReply {
  return wire.decodeReply(parseBody(body));
}

/** Throws `bad_response` for what is no JSON. */
export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new ModelError(
      { kind: 'bad_response', message: 'The backend answered with something that is not JSON.' },
      { cause },
    );
  }
}

export function bodyTooLarge(most: number): ModelError {
  return new ModelError({
    kind: 'bad_response',
    message: `The backend's reply has more than ${most} bytes.`,
  });
}
