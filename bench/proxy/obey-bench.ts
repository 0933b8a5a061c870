/** Makes a server of the bench collect its garbage when told to, and end when it should. */
export function obeyBench(): void {
  process.on('message', (order) => {
    if (order !== 'collect') return;
    globalThis.gc?.();
    process.send?.({ heap: process.memoryUsage().heapUsed });
  });
  // An orderly exit also writes the profile of `--cpu-prof`.
  process.on('SIGTERM', () => process.exit());
  process.on('disconnect', () => process.exit());
}
