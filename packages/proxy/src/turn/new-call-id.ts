import { randomUUID } from 'node:crypto';

/** Of this process; the count makes it unique. */
const prefix = `call_${randomUUID().slice(0, 8)}`;
let count = 0;

/** An id for the calls of one turn that came without one. */
export function newCallId(): string {
  count += 1;
  return prefix + count.toString(36);
}
