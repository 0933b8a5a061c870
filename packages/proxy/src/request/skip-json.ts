/** Walking over JSON in bytes without reading it. All return -1 where the bytes end too early. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Strings up to this long are walked here: for them a native search costs more than it saves. */
const SHORT = 64;

/** White space 1, what opens 2, what closes 4, a comma 8, a quote 16; what stands for itself 0. */
const kinds = new Uint8Array(256);
for (const space of [0x20, 0x09, 0x0a, 0x0d]) kinds[space] = 1;
for (const opener of [0x7b, 0x5b]) kinds[opener] = 2;
for (const closer of [0x7d, 0x5d]) kinds[closer] = 4;
kinds[0x2c] = 8;
kinds[QUOTE] = 16;

/** The first position from `at` that is not white space; the length at most. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while (i < bytes.length && kinds[bytes[i] ?? 0] === 1) i++;
  return i;
}

/** The end of the string whose opening quote stands at `at`. */
export function skipString(bytes: Buffer, at: number): number {
  const end = bytes.length;
  let i = at + 1;
  for (;;) {
    const near = Math.min(end, i + SHORT);
    while (i < near) {
      const byte = bytes[i];
      if (byte === QUOTE) return i + 1;
      i += byte === BACKSLASH ? 2 : 1;
    }
    if (i >= end) return -1;
    const quote = bytes.indexOf(QUOTE, i);
    if (quote === -1) return -1;
    // Each run of backslashes is counted once: no further back than where this search began.
    let run = quote;
    while (run > i && bytes[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote + 1;
    i = quote + 1;
  }
}

/** The end of the object or list that opens at `at`, by its depth alone. */
export function skipNested(bytes: Buffer, at: number): number {
  const end = bytes.length;
  let depth = 1;
  let i = at + 1;
  while (i < end) {
    const kind = kinds[bytes[i] ?? 0] ?? 0;
    if (kind === 16) {
      i = skipString(bytes, i);
      if (i === -1) return -1;
      continue;
    }
    i++;
    if (kind === 2) depth++;
    else if (kind === 4 && --depth === 0) return i;
  }
  return -1;
}

/** The end of any value. A number or word ends where something else begins; an empty one is none. */
export function skipValue(bytes: Buffer, at: number): number {
  const kind = at < bytes.length ? kinds[bytes[at] ?? 0] : 1;
  if (kind === 16) return skipString(bytes, at);
  if (kind === 2) return skipNested(bytes, at);
  let i = at;
  while (i < bytes.length && kinds[bytes[i] ?? 0] === 0) i++;
  return i === at ? -1 : i;
}
