import { ForgeError } from '@forge/core';

export interface CallLimits {
  /** Milliseconds of silence. */
  readonly call: number;
  /** Milliseconds altogether. */
  readonly callTotal: number;
}

/** The time a call has. It stands still while a person is being asked something for it. */
export interface CallClock {
  /** Aborts with the reason when the time is up. */
  readonly signal: AbortSignal;
  /** Something was heard: the silence starts over. */
  heard(): void;
  hold(): void;
  release(): void;
  stop(): void;
}

export function startCallClock(
  { call, callTotal }: CallLimits,
  options: { readonly name: string; readonly now: () => number },
): CallClock {
  const { name, now } = options;
  const controller = new AbortController();
  let left = callTotal;
  let holds = 0;
  let startedAt = now();
  let timers: NodeJS.Timeout[] = [];
  const giveUp = (why: string) =>
    controller.abort(new ForgeError('tool_timeout', `${name} was given up: ${why}`));
  const clear = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const start = () => {
    startedAt = now();
    timers = [
      setTimeout(() => giveUp(`the server was silent for ${call} ms.`), call),
      setTimeout(() => giveUp(`it took longer than ${callTotal} ms.`), Math.max(1, left)),
    ];
  };
  const pause = () => {
    left -= now() - startedAt;
    clear();
  };
  start();
  return {
    signal: controller.signal,
    heard() {
      if (holds > 0 || timers.length === 0) return;
      pause();
      start();
    },
    hold() {
      if (holds++ === 0) pause();
    },
    release() {
      if (--holds === 0 && !controller.signal.aborted) start();
    },
    stop() {
      holds = Number.POSITIVE_INFINITY;
      clear();
    },
  };
}
