import { join } from 'node:path';
import { type ServerKeeper, startServerKeeper } from '@forge/store/testing';

const script = `
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

/** A shell that owns a server of Redis. */
export function startRedisKeeper({
  dir,
  port,
  password,
  settings,
}: {
  readonly dir: string;
  readonly port: number;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}): ServerKeeper<RedisOrder> {
  const lines = Object.entries({ ...settings, port, dir, requirepass: password });
  const config = lines.map(([name, value]) => `${name} ${value}`).join('\n');
  const log = join(dir, 'log');
  return startServerKeeper({
    name: 'Redis',
    script,
    args: [dir, String(port), config, password],
    dir,
    log,
  });
}
