/** What a test's subscriber heard, in order, and a way to wait for more of it. */
export interface Heard {
  readonly runIds: string[];
  readonly listener: (runId: string) => void;
  until(isEnough: (runIds: readonly string[]) => boolean): Promise<void>;
}

export function createHeard(): Heard {
  const runIds: string[] = [];
  let waiting: (() => void)[] = [];
  return {
    runIds,
    listener(runId) {
      runIds.push(runId);
      for (const look of waiting.splice(0)) look();
    },
    async until(isEnough) {
      while (!isEnough(runIds)) {
        await new Promise<void>((resolve) => {
          waiting = [...waiting, resolve];
        });
      }
    },
  };
}
