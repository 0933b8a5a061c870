/** What clients saw while they asked without a pause. */
export interface Hammering {
  /** Resolves once that many answers more have come. */
  more(count: number): Promise<void>;
  stop(): Promise<{ readonly answers: ReadonlyMap<string, number>; readonly failures: string[] }>;
}

/** Several clients that ask again as soon as they have an answer, over connections they keep. */
export function hammer(url: string, clients = 4): Hammering {
  const answers = new Map<string, number>();
  const failures: string[] = [];
  const waiting = new Set<{ left: number; done: () => void }>();
  let isOver = false;
  const client = async (number: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      try {
        const body = `${number}-${turn}`;
        const isPost = turn % 3 === 0;
        const response = await fetch(
          `${url}/echo`,
          isPost ? { method: 'POST', body, headers: { 'content-type': 'text/plain' } } : {},
        );
        const text = await response.text();
        const [version = '', echoed = ''] = text.split(':');
        if (response.status !== 200) failures.push(`${response.status} ${text}`);
        else if (echoed !== (isPost ? body : ''))
          failures.push(`sent ${body}, came back ${echoed}`);
        answers.set(version, (answers.get(version) ?? 0) + 1);
      } catch (error) {
        failures.push(String(error instanceof Error ? (error.cause ?? error) : error));
        if (failures.length > 100) return;
      }
      for (const each of waiting) {
        each.left -= 1;
        if (each.left <= 0) {
          waiting.delete(each);
          each.done();
        }
      }
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    async more(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ left: count, done: resolve });
      await Promise.race([promise, all]);
    },
    async stop() {
      isOver = true;
      await all;
      return { answers, failures };
    },
  };
}
