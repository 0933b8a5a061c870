/** Digits that stand in for a number in prepared bytes, and how many there are. */
export const serialDigits = 10;
export const blankSerial = '0'.repeat(serialDigits);
const marker = '7777777777';

/** Bytes with places for a serial number, so that no two messages are the same. */
export interface Template {
  readonly bytes: Buffer;
  readonly places: readonly number[];
}

/** Builds the text around a marker and finds where the marker went. */
export function createTemplate(build: (serial: string) => string | Buffer): Template {
  const bytes = Buffer.from(build(marker));
  const places: number[] = [];
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + serialDigits)) {
    places.push(at);
  }
  return { bytes, places };
}

export function fillTemplate({ bytes, places }: Template, serial: number): Buffer {
  const filled = Buffer.allocUnsafe(bytes.length);
  bytes.copy(filled);
  for (const place of places) {
    let rest = serial;
    for (let at = place + serialDigits - 1; at >= place; at--) {
      filled[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
  return filled;
}
