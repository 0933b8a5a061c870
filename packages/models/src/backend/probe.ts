import { isJsonObject, type JsonValue } from '@forge/core';
import type { BackendKind } from './backend-options.ts';
import { kinds } from './kinds.ts';

export interface Probe {
  readonly ready: boolean;
  readonly contextLength?: number;
}

/** A server that is alive answers within this many milliseconds, even when it is busy. */
const answerTime = 3_000;

/** Asks a server whether it can be used, and how long its context is. Never rejects, unless aborted. */
export async function probe({
  kind,
  url,
  signal,
}: {
  readonly kind: BackendKind;
  readonly url: string;
  readonly signal?: AbortSignal;
}): Promise<Probe> {
  const { readyPath } = kinds[kind];
  const timeout = AbortSignal.timeout(answerTime);
  try {
    const response = await fetch(url + readyPath, {
      headers: { connection: 'close' },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) return { ready: false };
    const contextLength = contextLengthIn(kind, body);
    return { ready: true, ...(contextLength !== undefined && { contextLength }) };
  } catch {
    signal?.throwIfAborted();
    return { ready: false };
  }
}

/** The context length in what a server answers at its ready path. */
export function contextLengthIn(kind: BackendKind, body: unknown): number | undefined {
  const { contextLengthAt } = kinds[kind];
  if (contextLengthAt === undefined) return undefined;
  let place: unknown = body;
  for (const step of contextLengthAt) place = inside(place, step);
  const length = typeof place === 'string' ? Number(place) : place;
  return typeof length === 'number' && Number.isInteger(length) && length > 0 ? length : undefined;
}

function inside(value: unknown, step: string | number): JsonValue | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return isJsonObject(value) ? value[step] : undefined;
}
