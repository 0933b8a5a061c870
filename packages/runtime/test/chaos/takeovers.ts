import type { Ack } from './ledger.ts';

/** Milliseconds from the death of a worker to the first step of the one that took up its run. */
export function takeovers(
  acks: readonly Ack[],
  died: ReadonlyMap<number, number>,
): readonly number[] {
  const holders = new Map<string, number>();
  const found: number[] = [];
  for (const { run, types, pid, at } of acks) {
    const before = holders.get(run);
    holders.set(run, pid);
    const death = before === undefined || before === pid ? undefined : died.get(before);
    // Only where the one before was in the middle of something.
    if (death !== undefined && types[0] === 'run.resumed') found.push(Math.max(0, at - death));
  }
  return found.sort((a, b) => a - b);
}
