import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ForgeError } from '@forge/core';

/** A shell that owns a server. It ends it when told to, and when we are gone. */
export interface ServerKeeper<Order extends string> {
  /** Resolves when it is done; one at a time, in the order they are given. */
  order(order: Order): Promise<void>;
  /** Ends the server and removes its files. */
  end(): Promise<void>;
}

export interface ServerKeeperOptions {
  /** Of the server, for messages. */
  readonly name: string;
  /**
   * A program for `sh`. Orders come in as lines; it says `ok` or `failed` after each. When the lines
   * end, because `end` closed them or because the process that wrote them is dead, it ends the server
   * and removes its files.
   */
  readonly script: string;
  readonly args: readonly string[];
  /** The folder of the server. */
  readonly dir: string;
  /** The file that says why an order failed. */
  readonly log: string;
  /** Whom it runs as; ourselves if not said. */
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts the shell. Its first order is for the script to start the server. */
export function startServerKeeper<Order extends string>({
  name,
  script,
  args,
  dir,
  log,
  ...identity
}: ServerKeeperOptions): ServerKeeper<Order> {
  const child = spawn('sh', ['-c', script, 'sh', ...args], {
    ...identity,
    cwd: dir,
    detached: true, // Ctrl-C is for us; it still has to tidy up.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {}); // It is gone; the answer that does not come says so.
  letGo(child);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const give = async (order: Order) => {
    child.ref();
    child.stdin.write(`${order}\n`);
    const { value } = await answers.next();
    letGo(child);
    if (value === 'ok') return;
    throw new ForgeError('store_failed', `${name} did not go "${order}". ${log} says why.`);
  };
  return {
    order(order) {
      const answered = last.then(() => give(order));
      last = answered.catch(() => {});
      return answered;
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** It does not keep this process alive: when we end, it sees its input end. */
function letGo(child: ChildProcessByStdio<Writable, Readable, null>): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) {
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}
