import type { Queue, QueueOptions, QueueProblem } from './queue.ts';

/** A make of the queue and what its tests need. */
export interface QueueMake {
  readonly name: string;
  /** What can happen to its server; empty where there is none and the queue is its process. */
  readonly dangers: readonly ('away' | 'emptied')[];
  /** Called once; `stop` ends it. */
  start(): Promise<QueueGround>;
}

export interface QueueGround {
  /** One more end of the queue of that name. */
  open(name: string, options: QueueOptions): Promise<Queue>;
  down(): Promise<void>;
  up(): Promise<void>;
  /** The server loses all it holds, and stays up. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens one more end of the queue of a test, and what any of them complained of. */
export interface QueueEnds {
  open(): Promise<Queue>;
  readonly problems: QueueProblem[];
}

/** Gives each test ends of a queue that no other has, and closes them. */
export function createEnds(
  ground: () => QueueGround,
  prefix = 'test',
): (use: (ends: QueueEnds) => Promise<void>) => Promise<void> {
  let queues = 0;
  return async (use) => {
    queues += 1;
    const name = `${prefix}_${queues}`;
    const problems: QueueProblem[] = [];
    const opened: Queue[] = [];
    const open = async () => {
      const queue = await ground().open(name, { onProblem: (problem) => problems.push(problem) });
      opened.push(queue);
      return queue;
    };
    try {
      await use({ open, problems });
    } finally {
      await Promise.all(opened.map((queue) => queue.close()));
    }
  };
}
