import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ForgeError } from '@forge/core';
import type { Identity } from './make-cluster.ts';

/**
 * Orders come in as lines; `ok` or `failed` goes out after each. When the lines end, because
 * `stop` closed them or because the process that wrote them is dead, the server and its files go.
 */
const keeper = `
dir=$1 bin=$2 port=$3 options=$4
say() { if [ "$1" = 0 ]; then echo ok; else echo failed; fi; }
up() {
  "$bin/postgres" -D "$dir/data" -p "$port" $options >>"$dir/log" 2>&1 </dev/null &
  pid=$!
  until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
    kill -0 "$pid" 2>/dev/null || return 1
    sleep 0.05
  done
}
down() {
  "$bin/pg_ctl" stop -w -t 120 -m "$1" -D "$dir/data" >/dev/null 2>&1 </dev/null
  stopped=$?
  wait "$pid"
  return "$stopped"
}
while read -r order mode; do
  case $order in
    up) up; say $? ;;
    down) down "$mode"; say $? ;;
  esac
done
down immediate
rm -rf "$dir"
`;

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

/** A shell that owns a server. It ends it when told to, and when we are gone. */
export interface PostgresKeeper {
  /** `up`, `down fast` or `down immediate`; one at a time. */
  order(order: string): Promise<void>;
  end(): Promise<void>;
}

export function startKeeper(server: {
  readonly bin: string;
  readonly dir: string;
  readonly port: number;
  readonly identity: Identity;
  readonly settings: Readonly<Record<string, string>>;
}): PostgresKeeper {
  const { bin, dir, port, identity, settings } = server;
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const args = ['-c', keeper, 'sh', dir, bin, String(port), flags.join(' ')];
  const child = spawn('sh', args, {
    ...identity,
    cwd: dir,
    detached: true, // Ctrl-C is for us; it still has to tidy up.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  letGo(child);
  return {
    order: orders(child, join(dir, 'log')),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** One order at a time, each answered by one line. */
function orders(child: Keeper, log: string): (order: string) => Promise<void> {
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const give = async (order: string) => {
    child.ref();
    child.stdin.write(`${order}\n`);
    const { value } = await answers.next();
    letGo(child);
    if (value === 'ok') return;
    throw new ForgeError('store_failed', `PostgreSQL did not go "${order}". ${log} says why.`);
  };
  return (order) => {
    const answered = last.then(() => give(order));
    last = answered.catch(() => {});
    return answered;
  };
}

/** It does not keep this process alive: when we end, it sees its input end. */
function letGo(child: Keeper): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) {
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}
