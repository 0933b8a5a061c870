import type * as z from 'zod';
import { ModelError } from '../model-error.ts';

/** Whose fault a bad body is. */
export type BodyKind = 'bad_request' | 'bad_response';

/** What is being read, for the message when it cannot be. */
export interface BodyPlace {
  readonly kind: BodyKind;
  /** What the API calls itself. */
  readonly api: string;
  /** Where in the body the value stands; empty for the body itself. */
  readonly at?: string;
}

/** The bodies of an API. */
export function placesOf(api: string): {
  readonly requestPlace: BodyPlace;
  readonly replyPlace: BodyPlace;
} {
  return {
    requestPlace: { kind: 'bad_request', api },
    replyPlace: { kind: 'bad_response', api },
  };
}

/** The value as the schema reads it. Throws `ModelError` with the path of the first fault. */
export function readBody<Output>(
  schema: z.ZodType<Output>,
  body: unknown,
  place: BodyPlace,
): Output {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [place.at ?? '', ...(issue?.path ?? []).map(String)].filter((step) => step !== '');
  throw badBody({ ...place, at: path.join('.') }, issue?.message ?? 'not as expected');
}

export function badBody({ kind, api, at }: BodyPlace, problem: string): ModelError {
  const whose = kind === 'bad_request' ? 'request' : 'reply';
  return new ModelError({
    kind,
    message: `Not a valid ${api} ${whose}: ${at || 'body'}: ${problem}.`,
  });
}
