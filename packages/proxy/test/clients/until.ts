/** Waits for conditions that are looked at again whenever something has happened. */
export function until() {
  const waiting = new Set<{ readonly holds: () => boolean; readonly resolve: () => void }>();
  return {
    look() {
      for (const each of waiting) {
        if (!each.holds()) continue;
        waiting.delete(each);
        each.resolve();
      }
    },
    async holds(holds: () => boolean): Promise<void> {
      if (holds()) return;
      await new Promise<void>((resolve) => waiting.add({ holds, resolve }));
    },
  };
}
