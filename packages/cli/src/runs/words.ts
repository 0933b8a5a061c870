import { isJsonObject, type JsonObject } from '@forge/core';
import { printable } from '../printable.ts';

/** `4s`, `1m 02s`, `2h 05m`. */
export function inTime(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** `950`, `12.4k`, `3.1M`. */
export function inShort(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_950) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** US dollars, always with four digits: small costs are the usual ones. */
export function inDollars(cost: number): string {
  return `$${cost.toFixed(4)}`;
}

/** `2026-11-15 13:02:15`, in UTC. */
export function inDate(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** `13:02:15`, in UTC. */
export function inClock(at: number): string {
  return inDate(at).slice(11);
}

const hash = /^[0-9a-f]{40,64}$/;

/** The part of a call one recognises it by: its task, or its first text that is no hash. */
export function inBrief(args: JsonObject, most = 120): string {
  const { task } = args;
  if (isJsonObject(task) && typeof task.title === 'string') return printable(task.title, most);
  const texts = Object.values(args).filter((value) => typeof value === 'string' && value !== '');
  const first = texts.find((text) => !hash.test(String(text))) ?? texts[0];
  if (typeof first === 'string') return printable(first, most);
  return Object.keys(args).length === 0 ? '' : printable(JSON.stringify(args), most);
}

/** What a run was told: as it is, or the part one recognises it by where it is JSON. */
export function saidInBrief(text: string, most = 240): string {
  if (!text.startsWith('{')) return printable(text, most);
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? inBrief(value, most) : printable(text, most);
  } catch {
    return printable(text, most);
  }
}

/** `1 run`, `2 runs`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
