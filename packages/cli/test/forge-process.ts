import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunEvent } from '@forge/core';

const bin = fileURLToPath(new URL('../bin/forge.js', import.meta.url));

/** A line of `--json` about an event. */
export interface EventLine {
  readonly runId: string;
  readonly rootId: string;
  readonly agent: string;
  readonly event: RunEvent;
}

export interface ForgeEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** `forge` as a process of its own, first of a process group of its own. */
export class ForgeProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();
  readonly ended: Promise<ForgeEnd>;

  constructor(
    args: readonly string[],
    { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ) {
    const child = spawn(process.execPath, [bin, ...args], {
      ...{ cwd, env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(line);
      for (const listener of this.#listeners) listener(line);
    });
    this.ended = once(child, 'close').then(([code, signal]) => ({
      ...{ code, signal, errors },
      lines: this.#lines,
    }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  onLine(listener: (line: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * For it and all it started that did not make a group of its own: what a terminal does at Ctrl-C,
   * and `kill -9` for everything.
   */
  signal(name: 'SIGINT' | 'SIGKILL'): void {
    try {
      process.kill(-this.pid, name);
    } catch {
      // It has ended.
    }
  }

  /** Resolves when it has told of such an event. */
  async told(isIt: (told: EventLine) => boolean): Promise<EventLine> {
    const { promise, resolve, reject } = Promise.withResolvers<EventLine>();
    this.onLine((line) => {
      const told = eventOf(line);
      if (told !== undefined && isIt(told)) resolve(told);
    });
    this.ended.then(({ errors }) => reject(new Error(`It ended before that: ${errors}`)));
    return promise;
  }
}

/** The event a line tells of, if it does. */
export function eventOf(line: string): EventLine | undefined {
  const value: unknown = JSON.parse(line);
  return typeof value === 'object' && value !== null && 'event' in value
    ? (value as EventLine)
    : undefined;
}
