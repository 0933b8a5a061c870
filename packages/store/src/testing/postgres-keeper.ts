import { join } from 'node:path';
import type { Identity } from './make-cluster.ts';
import { type ServerKeeper, startServerKeeper } from './server-keeper.ts';

const script = `
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

export type PostgresOrder = 'up' | 'down fast' | 'down immediate';

/** A shell that owns a server of PostgreSQL. */
export function startPostgresKeeper({
  bin,
  dir,
  port,
  identity,
  settings,
}: {
  readonly bin: string;
  readonly dir: string;
  readonly port: number;
  readonly identity: Identity;
  readonly settings: Readonly<Record<string, string>>;
}): ServerKeeper<PostgresOrder> {
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return startServerKeeper({
    name: 'PostgreSQL',
    script,
    args: [dir, bin, String(port), flags.join(' ')],
    dir,
    log: join(dir, 'log'),
    ...identity,
  });
}
