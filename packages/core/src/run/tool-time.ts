import { startTimer } from './start-timer.ts';

/** The time a call has. It stands still while a person is asked, and starts anew after that. */
export interface ToolTime {
  standStill<T>(task: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** Without a timeout there is no end to it. */
export function startToolTime(timeout: number | undefined, onTime: () => void): ToolTime {
  const start = () => (timeout === undefined ? undefined : startTimer(timeout, onTime));
  let timer = start();
  let holds = 0;
  let isOver = false;
  return {
    async standStill(task) {
      holds += 1;
      clearTimeout(timer);
      try {
        return await task();
      } finally {
        holds -= 1;
        if (holds === 0 && !isOver) timer = start();
      }
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
