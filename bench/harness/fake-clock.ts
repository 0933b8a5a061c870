import type { Contender } from './bench.ts';

/** A clock that only the work moves, and work that takes as long as it says. */
export function fakeTime(): {
  clock: () => number;
  /** Work of that many milliseconds a run; every run adds its name to `log`. */
  work: (name: string, milliseconds: () => number) => Contender;
  log: string[];
} {
  let now = 0;
  const log: string[] = [];
  return {
    clock: () => now,
    log,
    work: (name, milliseconds) => ({
      name,
      run: () => {
        now += milliseconds();
        log.push(name);
        return name;
      },
    }),
  };
}
