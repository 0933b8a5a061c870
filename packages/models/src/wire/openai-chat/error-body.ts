import { isJsonObject, type JsonValue } from '@forge/core';
import { asNumber } from '../shared/lenient.ts';

/** What a server said about a failure, whatever shape it said it in. */
export interface ErrorDetails {
  readonly message: string;
  /** `type` and `code` in lower case, where they are words. */
  readonly words: readonly string[];
  /** An HTTP status told in the body: OpenRouter and llama.cpp put it in `code`. */
  readonly status?: number;
  /** The rate limit headers OpenRouter passes on. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The failure a body tells of, or nothing if it is none. */
export function readError(body: unknown): ErrorDetails | undefined {
  if (!isJsonObject(body)) return undefined;
  const { error } = body;
  if (error !== undefined && error !== null) {
    // FastAPI-style servers put type and code beside the text.
    return isJsonObject(error) ? fromObject(error) : fromObject({ ...body, message: error });
  }
  if (body.object === 'error') return fromObject(body);
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  // OpenRouter: the provider failed after it had begun.
  if (isJsonObject(choice) && isJsonObject(choice.error)) return fromObject(choice.error);
  if (body.choices !== undefined) return undefined;
  if (body.detail !== undefined) return fromObject({ message: body.detail });
  return typeof body.message === 'string' ? fromObject(body) : undefined;
}

function fromObject(error: { readonly [key: string]: JsonValue }): ErrorDetails {
  const { message, type, code, status, metadata } = error;
  const words = [type, code, status].filter((word) => typeof word === 'string');
  const told = [code, status].map(asNumber).find((one) => one !== undefined && isFailure(one));
  const { raw, headers } = isJsonObject(metadata) ? metadata : {};
  return {
    message: [asSentence(message), typeof raw === 'string' ? raw : ''].filter(Boolean).join(': '),
    words: words.map((word) => word.toLowerCase()),
    ...(told === undefined ? {} : { status: told }),
    ...(isJsonObject(headers) ? { headers: textFields(headers) } : {}),
  };
}

function isFailure(status: number): boolean {
  return status >= 400 && status <= 599;
}

/** FastAPI's `detail` is a list of problems. */
function asSentence(message: JsonValue | undefined): string {
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return message.map(asSentence).filter(Boolean).join('; ');
  if (!isJsonObject(message)) return '';
  const { msg, loc } = message;
  const text = asSentence(msg ?? message.message);
  return Array.isArray(loc) ? `${loc.filter(isStep).join('.')}: ${text}` : text;
}

function isStep(value: JsonValue): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function textFields(value: { readonly [key: string]: JsonValue }): Record<string, string> {
  const texts = Object.entries(value).flatMap(([key, one]) => {
    return isStep(one) ? [[key, String(one)] as const] : [];
  });
  return Object.fromEntries(texts);
}
