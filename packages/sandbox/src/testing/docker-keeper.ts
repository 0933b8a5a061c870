import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Owns a daemon until nobody uses it any more: users are files named after their process. Seconds
 * without any pass between two files of tests; then it ends the daemon and removes what it had.
 * Images stay, so that the next tests need not build them again. There is one keeper at a time: it
 * holds a lock, which the system lets go of however the keeper ends, and clears away what one before
 * it that was killed has left behind.
 */
const script = `
dir=$1 data=$2
exec 9>"$dir.lock"
flock -n 9 || exit 0
mkdir -p "$data"
if [ -f "$dir/docker.pid" ] && grep -qs dockerd "/proc/$(cat "$dir/docker.pid")/comm"; then
  kill -9 "$(cat "$dir/docker.pid")"
fi
# The containers of a killed daemon live on, with addresses that the next one gives away again.
for container in $(ls "$data/containers" 2>/dev/null); do
  for file in $(grep -ls -- "$container" /proc/[0-9]*/cgroup /proc/[0-9]*/cmdline); do
    kill -9 "$(echo "$file" | tr -cd 0-9)" 2>/dev/null
  done
done
rm -rf "$dir/docker.pid" "$dir/docker.sock" "$dir/exec" "$data/containers"
dockerd --host "unix://$dir/docker.sock" --data-root "$data" --exec-root "$dir/exec" \\
  --pidfile "$dir/docker.pid" >"$dir/log" 2>&1 </dev/null 9>&- &
pid=$!
used() {
  found=1
  for user in "$dir"/users/*; do
    if [ -d "/proc/\${user##*/}" ]; then found=0; else rm -f "$user"; fi
  done
  return "$found"
}
idle=0
while kill -0 "$pid" 2>/dev/null; do
  sleep 1
  idle=$((idle + 1))
  if used; then idle=0; fi
  [ "$idle" -ge 15 ] || continue
  # Whoever has reached it is a user by now; whoever has not does not find it any more.
  mv "$dir/docker.sock" "$dir/docker.old"
  used || break
  mv "$dir/docker.old" "$dir/docker.sock"
  idle=0
done
kill "$pid" 2>/dev/null
wait "$pid"
mv "$dir" "$dir.$$" && rm -rf "$dir.$$"
`;

/** The private daemon of all tests of this user. */
export const dockerFolder = join(tmpdir(), `forge-docker-${userInfo().uid}`);
export const dockerSocket = join(dockerFolder, 'docker.sock');
export const dockerLog = join(dockerFolder, 'log');

/** Counts this process among the users and sees to it that there is a daemon, or will be. */
export function useDockerKeeper(): void {
  try {
    addUser();
  } catch {
    addUser(); // A keeper took the folder away in this moment.
  }
  const data = join(homedir(), '.cache', 'forge', 'test-docker');
  const args = ['-c', script, 'forge-docker-keeper', dockerFolder, data];
  spawn('sh', args, { detached: true, stdio: 'ignore' }).unref();
}

function addUser(): void {
  mkdirSync(join(dockerFolder, 'users'), { recursive: true, mode: 0o700 });
  writeFileSync(join(dockerFolder, 'users', String(process.pid)), '');
}

export function leaveDockerKeeper(): void {
  rmSync(join(dockerFolder, 'users', String(process.pid)), { force: true });
}
