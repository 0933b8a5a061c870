import { type WireErrorKind, wireErrorKinds } from '../wire-error.ts';

/**
 * Sentences for kinds of error that a wire has no name for where it tells them. A server adds one
 * to its message and a client knows the kind by it, so that an error keeps its meaning on the way
 * through a proxy.
 */
const sentences: Readonly<Record<WireErrorKind, string>> = {
  auth: 'The key is missing or has no right to this model.',
  bad_request: 'The request cannot be answered as it is.',
  context_overflow: 'The request exceeds the context length.',
  not_found: 'There is no such model.',
  rate_limited: 'There were too many requests for now.',
  overloaded: 'There is no room for the request now.',
  unavailable: 'The model cannot be reached.',
  timeout: 'The model did not answer in time.',
  bad_response: 'The reply of the model behind this server could not be read.',
  content_filter: 'The provider withheld the content.',
};

/** `heard`: the kind a client would take the message for as it is. */
export function sayKind(kind: WireErrorKind, message: string, heard: WireErrorKind): string {
  return heard === kind ? message : `${message} (${sentences[kind]})`;
}

export function kindSaidIn(message: string): WireErrorKind | undefined {
  return wireErrorKinds.find((kind) => message.includes(sentences[kind]));
}
