const kept: unknown[] = new Array(64).fill(undefined);
let next = 0;

/** Takes a result where the compiler cannot prove that nobody looks, so that it is worked out. */
export function keep(value: unknown): void {
  kept[next & 63] = value;
  next += 1;
}

/** Lets go of everything kept, so that one contender's garbage does not burden the next. */
export function forget(): void {
  kept.fill(undefined);
}
