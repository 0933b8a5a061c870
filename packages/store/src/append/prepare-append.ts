import { createHash } from 'node:crypto';
import { ForgeError, type Happening, messageOf } from '@forge/core';
import { dailyTotals, dayOf, type ModelTotals } from '../projections/daily-totals.ts';
import { type RunTotals, runTotals } from '../projections/run-totals.ts';
import type { Append, RunState } from '../store.ts';
import { isProgress } from './is-progress.ts';

/** Event data longer than this is kept once, by its hash. */
export const longestInline = 64 * 1024;

/** One event, ready to be written. */
export interface PreparedEvent {
  readonly seq: number;
  readonly type: string;
  /** JSON; undefined when it is in `blob`. */
  readonly data: string | undefined;
  readonly blob: { readonly hash: string; readonly bytes: Uint8Array } | undefined;
}

/** A step, encoded and counted before any transaction begins: what cannot be written fails alone. */
export interface PreparedAppend {
  readonly step: Append;
  readonly at: number;
  readonly events: readonly PreparedEvent[];
  readonly totals: RunTotals;
  /** By model, and the day it is for. */
  readonly day: string;
  readonly daily: readonly ModelTotals[];
  /** The lease has got somewhere: its strikes are forgiven. */
  readonly progress: boolean;
  /** About how much it writes, to keep commits short. */
  readonly size: number;
}

/** States a run does not come back from by itself. */
export function isEnded(state: RunState | undefined): boolean {
  return state !== undefined && state !== 'open' && state !== 'paused';
}

export function prepareAppend(step: Append): PreparedAppend {
  const at = Math.trunc(step.at);
  if (!Number.isSafeInteger(at)) {
    throw new ForgeError(
      'invalid_options',
      `append: at is ${step.at}, not a time in milliseconds.`,
    );
  }
  let size = 0;
  const events = step.happenings.map((happening, index) => {
    const event = encodeEvent(happening, step.expectedSeq + index + 1);
    size += event.data?.length ?? event.blob?.bytes.length ?? 0;
    return event;
  });
  const daily = dailyTotals(step.happenings);
  return {
    step,
    at,
    events,
    totals: runTotals(step.happenings),
    day: daily.length === 0 ? '' : dayOf(at),
    daily,
    progress: isProgress(step),
    size,
  };
}

function encodeEvent(happening: Happening, seq: number): PreparedEvent {
  const data = encode(happening);
  const { type } = happening;
  if (!isLong(data)) return { seq, type, data, blob: undefined };
  const bytes = Buffer.from(data);
  return { seq, type, data: undefined, blob: { hash: hashOf(bytes), bytes } };
}

function encode(happening: Happening): string {
  try {
    return JSON.stringify(happening);
  } catch (error) {
    throw new ForgeError(
      'invalid_options',
      `append: "${happening.type}" holds what JSON cannot: ${messageOf(error)}.`,
    );
  }
}

/** A character is one to three bytes: most texts need no counting. */
function isLong(data: string): boolean {
  if (data.length > longestInline) return true;
  return data.length * 3 > longestInline && Buffer.byteLength(data) > longestInline;
}

/** SHA-256 in hex: the name of a blob. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
