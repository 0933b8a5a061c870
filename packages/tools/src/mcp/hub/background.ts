import { messageOf } from '@forge/core';

/** Work nobody waits for at once. Its failure is kept to be shown, and not thrown. */
export interface Background {
  run(task: () => Promise<void>): void;
  /** Why the last piece of work failed, until one succeeds. */
  readonly trouble: string | undefined;
  /** Resolves when what was begun has ended. */
  idle(): Promise<void>;
}

export function createBackground(onSettled: () => void): Background {
  const work = new Set<Promise<void>>();
  let trouble: string | undefined;
  return {
    run(task) {
      const done = task()
        .then(
          () => {
            trouble = undefined;
          },
          (error) => {
            trouble = messageOf(error);
          },
        )
        .finally(() => {
          work.delete(done);
          onSettled();
        });
      work.add(done);
    },
    get trouble() {
      return trouble;
    },
    async idle() {
      await Promise.all(work);
    },
  };
}
