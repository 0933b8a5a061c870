/** What one process tells the others: that the log went on, and which runs may be due. */
export interface Notice {
  readonly from: string;
  readonly appended: boolean;
  /** Undefined: some, but too many to name. Empty: none. */
  readonly woken: readonly string[] | undefined;
}

/** The longest payload PostgreSQL takes is 7,999 bytes. */
const longest = 7_900;

export function writeNotice({ from, appended, woken }: Notice): string {
  const named = JSON.stringify([from, appended, woken ?? null]);
  return Buffer.byteLength(named) <= longest ? named : JSON.stringify([from, appended, null]);
}

/** Undefined for anything that is not one: the channel is open to all who use the database. */
export function readNotice(payload: string): Notice | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    if (!Array.isArray(value)) return undefined;
    const [from, appended, woken]: unknown[] = value;
    if (typeof from !== 'string' || typeof appended !== 'boolean') return undefined;
    if (woken === null) return { from, appended, woken: undefined };
    return isNames(woken) ? { from, appended, woken } : undefined;
  } catch {
    return undefined;
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
