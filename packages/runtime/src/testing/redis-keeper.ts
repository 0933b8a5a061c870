import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ForgeError } from '@forge/core';

/**
 * Orders come in as lines; `ok` or `failed` goes out after each. When the lines end, because
 * `stop` closed them or because the process that wrote them is dead, the server and its files go.
 */
const keeper = `
dir=$1 port=$2 settings=$3 pid=
export REDISCLI_AUTH="$4"
say() { if [ "$1" = 0 ]; then echo ok; else echo failed; fi; }
ask() { redis-cli -h 127.0.0.1 -p "$port" "$@" 2>/dev/null </dev/null; }
up() {
  printf '%s\\n' "$settings" | redis-server - >>"$dir/log" 2>&1 &
  pid=$!
  until [ "$(ask ping)" = PONG ]; do
    kill -0 "$pid" 2>/dev/null || return 1
    sleep 0.05
  done
}
down() {
  [ -n "$pid" ] || return 0
  kill -CONT "$pid" 2>/dev/null
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  pid=
}
while read -r order; do
  case $order in
    up) up; say $? ;;
    down) down; say $? ;;
    freeze) kill -STOP "$pid"; say $? ;;
    thaw) kill -CONT "$pid"; say $? ;;
    flush) [ "$(ask flushall)" = OK ]; say $? ;;
  esac
done
down
rm -rf "$dir"
`;

export type RedisOrder = 'up' | 'down' | 'freeze' | 'thaw' | 'flush';

/** A shell that owns a server. It ends it when told to, and when we are gone. */
export interface RedisKeeper {
  /** One at a time. */
  order(order: RedisOrder): Promise<void>;
  end(): Promise<void>;
}

export function startRedisKeeper(server: {
  readonly dir: string;
  readonly port: number;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}): RedisKeeper {
  const { dir, port, password } = server;
  const lines = Object.entries({ ...server.settings, port, dir, requirepass: password });
  const settings = lines.map(([name, value]) => `${name} ${value}`).join('\n');
  const child = spawn('sh', ['-c', keeper, 'sh', dir, String(port), settings, password], {
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

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

/** One order at a time, each answered by one line. */
function orders(child: Keeper, log: string): (order: RedisOrder) => Promise<void> {
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const give = async (order: RedisOrder) => {
    child.ref();
    child.stdin.write(`${order}\n`);
    const { value } = await answers.next();
    letGo(child);
    if (value === 'ok') return;
    throw new ForgeError('store_failed', `Redis did not go "${order}". ${log} says why.`);
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
