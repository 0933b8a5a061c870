type Headers = Readonly<Record<string, string>>;

/**
 * Milliseconds a response's headers ask to wait: `retry-after-ms`, or `retry-after` in seconds or
 * as a date. A date is measured against the response's own `date` where there is one, so that a
 * wrong clock here does not matter.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const exact = plainNumber(headerOf(headers, 'retry-after-ms'));
  if (exact !== undefined) return Math.ceil(exact);
  const after = headerOf(headers, 'retry-after');
  const seconds = plainNumber(after);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const until = moment(after);
  return until === undefined
    ? undefined
    : Math.max(0, until - (moment(headerOf(headers, 'date')) ?? now));
}

/** The way back, for servers: whole seconds for everyone, milliseconds for clients that know them. */
export function writeRetryAfter({ retryAfter }: { readonly retryAfter?: number }): Headers {
  if (retryAfter === undefined || !Number.isFinite(retryAfter)) return {};
  const wait = Math.max(0, retryAfter);
  return { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) };
}

/** A header by its name in lower case, however it is spelt. */
export function headerOf(headers: Headers, name: string): string | undefined {
  for (const key in headers) if (key.toLowerCase() === name) return headers[key]?.trim();
  return undefined;
}

/** Digits only: what else `Number` takes for a number (`0x1f`, `Infinity`) is none in a header. */
export function plainNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Every form of an HTTP date has letters; a bare number would be read as a year. */
function moment(text: string | undefined): number | undefined {
  const at = text === undefined || !/[a-z]/i.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
