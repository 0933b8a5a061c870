import { neutralise } from '@forge/core';

const longest = 200;

/** Text from outside, safe to print: on one line, without control characters, of bounded length. */
export function printable(text: string, most = longest): string {
  // What is cut off anyway need not be made safe first.
  const clean = neutralise(text.slice(0, most * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}
