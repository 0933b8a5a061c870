import { Worker } from 'node:worker_threads';
import { messageOf } from '@forge/core';
import type { FromShell, Job, ToShell } from './messages.ts';

/** Answers what a shell asks of the files. */
export type AnswerFiles = (method: string, args: readonly unknown[]) => Promise<unknown>;

export interface ShellRun {
  /** Rejects if the shell died, by `end` or by itself. */
  readonly done: Promise<Extract<FromShell, { type: 'done' }>>;
  /** Ends the command for good. */
  end(): Promise<void>;
}

/** Threads that wait for a command are kept, so that the next one need not start a thread. */
const mostIdle = 4;

/** The threads that shells run in. */
export class Shells {
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  #closed = false;

  run(job: Job, answer: AnswerFiles): ShellRun {
    const worker = this.#take();
    const done = this.#conduct(worker, job, answer);
    return {
      done,
      end: async () => {
        if (this.#busy.has(worker)) await worker.terminate();
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const workers = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #conduct(worker: Worker, job: Job, answer: AnswerFiles): ShellRun['done'] {
    return new Promise((resolve, reject) => {
      const post = (message: ToShell) => worker.postMessage(message);
      const settle = (finish: () => void) => {
        worker.removeAllListeners();
        this.#busy.delete(worker);
        finish();
      };
      worker.on('message', (message: FromShell) => {
        if (message.type === 'done') {
          settle(() => {
            this.#keep(worker);
            resolve(message);
          });
          return;
        }
        const { id, method, args } = message;
        answer(method, args)
          .then((value) => post({ type: 'answer', id, value }))
          .catch((error: unknown) => post({ type: 'refusal', id, message: messageOf(error) }));
      });
      worker.on('error', (error) => settle(() => reject(error)));
      worker.on('exit', () => settle(() => reject(new Error('The shell was ended.'))));
      post({ type: 'run', job });
    });
  }

  #take(): Worker {
    const worker = this.#idle.pop() ?? startWorker();
    worker.removeAllListeners();
    worker.ref();
    this.#busy.add(worker);
    return worker;
  }

  #keep(worker: Worker): void {
    if (this.#closed || this.#idle.length >= mostIdle) {
      void worker.terminate();
      return;
    }
    // One that dies while it waits must be neither given out nor heard as an uncaught error.
    const drop = () => {
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
    };
    worker.on('error', drop);
    worker.on('exit', drop);
    worker.unref();
    this.#idle.push(worker);
  }
}

function startWorker(): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./shell-worker.${ending}`, import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
  });
}
