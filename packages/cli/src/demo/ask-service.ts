import { messageOf } from '@forge/core';
import { printable } from '../printable.ts';

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export interface ServiceAnswer {
  /** 0: nobody answered. */
  readonly status: number;
  /** The body, or why there is none. In a line. */
  readonly text: string;
}

const patienceMs = 10_000;
const mostBytes = 64 * 1024;

/** One real request to the deployed service. That nobody answers is an answer too. */
export async function askService(
  url: string,
  { method, path, body }: ServiceRequest,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  try {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, text: printable(await readSome(response)) };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, text: `nobody answers: ${messageOf(error)}` };
  }
}

async function readSome({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes) break;
  }
  return text;
}

/** A request as one would type it. */
export function showRequest({ method, path, body }: ServiceRequest): string {
  return [method, path, ...(body === undefined ? [] : [body])].join(' ');
}
