import { InvalidArgumentError } from 'commander';
import { parseBytes } from '../../parse-bytes.ts';

/** What stands behind a flag, as the value it means. Each says what it takes when it is wrong. */

export function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number, such as 3.');
}

export function readSome(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new InvalidArgumentError('It takes a whole number of at least 1.');
}

export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It takes a port, such as 8081, or 0 for any that is free.');
}

export function readSeconds(text: string): number {
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It takes a number of seconds, such as 300.');
}

export function readSize(text: string): number {
  const bytes = parseBytes(text);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError('It takes a size, such as 64MiB or 1048576.');
}

export function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new InvalidArgumentError('It takes an address, such as http://127.0.0.1:8080.');
}

export function readSecret(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('It is empty.');
}

/** Spellings of the Python library are understood too. */
export function readReplay(text: string): 'as_sent' | 'none' | 'last' | 'full' {
  switch (text) {
    case 'as-sent':
    case 'as_sent':
      return 'as_sent';
    case 'last':
    case 'keep-last':
      return 'last';
    case 'none':
    case 'full':
      return text;
    default:
      throw new InvalidArgumentError('It takes as-sent, none, last or full.');
  }
}
