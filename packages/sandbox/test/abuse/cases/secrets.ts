import { run } from '../../../src/conformance/kit.ts';
import { type AbuseGroup, broken, held } from '../abuse-case.ts';
import { attack } from '../attack.ts';
import { victimName } from '../host-plants.ts';

const up = '../'.repeat(12);

/** What belongs to the host: its files, environment, processes, memory. */
export const secrets: AbuseGroup = {
  title: 'What belongs to the host',
  cases: [
    attack({
      name: 'a file of the host',
      tries: 'reads a file that everybody on the host may read',
      on: { process: 'does not hold' },
      sh: `
        for path in "$1" "${up}\${1#/}" "/proc/self/root$1" "/proc/1/root$1" "/proc/self/cwd/${up}\${1#/}"; do
          cat "$path" >/tmp/found 2>/dev/null && echo 'BROKE read' || echo 'HELD not there'
        done`,
      args: ({ file }) => [file],
    }),
    attack({
      name: 'a folder of the host',
      tries: 'writes to a folder that everybody on the host may write to',
      on: { process: 'does not hold' },
      sh: `echo x > "$1/pwned" 2>/dev/null && { rm "$1/pwned"; echo 'BROKE written'; } || echo 'HELD not there'`,
      args: ({ folder }) => [folder],
    }),
    attack({
      name: 'shared memory of the host',
      tries: 'reads a file in /dev/shm that everybody may read',
      on: { process: 'does not hold' },
      sh: `cat "$1" >/dev/null 2>&1 && echo 'BROKE read' || echo 'HELD not there'`,
      args: ({ shared }) => [shared],
    }),
    attack({
      name: 'homes and keys',
      tries: 'looks for passwords, keys of ssh and clouds, and what lies in /root',
      sh: `
        for path in /etc/shadow /etc/sudoers /etc/ssh/ssh_host_ed25519_key /root/.ssh /root/.aws \\
          /root/.config /root/.bash_history /root/.npmrc; do
          if [ -d "$path" ]; then ls -A "$path"; else cat "$path"; fi >/tmp/found 2>/dev/null
          [ -s /tmp/found ] && echo "BROKE $path" || echo 'HELD not there'
        done`,
    }),
    attack({
      name: 'environment',
      tries: 'reads the variables it was started with',
      on: { process: 'holds' },
      sh: `env | grep -q "$1" && echo "BROKE $1" || echo 'HELD not passed on'`,
      args: ({ variable }) => [variable],
    }),
    attack({
      name: 'environment of others',
      tries: 'reads /proc/*/environ, the first process’s and its parents’',
      on: { process: 'does not hold' },
      sh: `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q "$1" &&
        echo "BROKE $1" || echo 'HELD not passed on'`,
      args: ({ variable }) => [variable],
    }),
    attack({
      name: 'command lines of others',
      tries: 'lists the processes of the host',
      on: { process: 'does not hold' },
      sh: `
        cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q "$1" &&
          echo 'BROKE seen' || echo 'HELD not seen'`,
      // The brackets keep the search from finding itself.
      args: () => [`[${victimName[0]}]${victimName.slice(1)}`],
    }),
    {
      name: 'a process of the host',
      tries: 'kills a process of the same user',
      attempt: async ({ sandbox, host }) => {
        const { err, exitCode } = await run(sandbox, [
          'sh',
          '-c',
          'kill -9 "$1"',
          'sh',
          `${host.pid}`,
        ]);
        if (exitCode === 0 || !host.victimLives()) return broken('killed');
        return held(err.trim().split(': ').at(-1)?.toLowerCase() ?? '');
      },
    },
    attack({
      name: 'memory of others',
      tries: 'opens the memory and the descriptors of a process of the host',
      on: { process: 'does not hold' },
      perl: `
        my $pid = shift;
        open(my $memory, '+<', "/proc/$pid/mem") ? broke('memory') : held("$!");
        opendir(my $descriptors, "/proc/$pid/fd") ? broke('descriptors') : held("$!");`,
      args: ({ pid }) => [String(pid)],
    }),
    attack({
      name: 'descriptors that were left open',
      tries: 'looks for files and sockets it inherited from the host',
      sh: `
        for fd in /proc/self/fd/*; do
          case $(readlink "$fd") in
            pipe:* | '/dev/null' | '/proc/'*'/fd' | '') ;;
            *) [ "\${fd##*/}" -le 2 ] || echo "BROKE $(readlink "$fd")" ;;
          esac
        done
        echo 'HELD its three streams'`,
    }),
    attack({
      name: 'message queues of the host',
      tries: 'lists System V message queues',
      on: { process: 'does not hold' },
      sh: `awk -v id="$1" '$2 == id { found = 1 } END { print found ? "BROKE seen" : "HELD not seen" }' /proc/sysvipc/msg`,
      args: ({ queue }) => [queue],
    }),
    attack({
      name: 'mounts of the host',
      tries: 'looks for writable places of the host’s disk',
      perl: `
        open my $mounts, '<', '/proc/self/mounts' or die;
        while (<$mounts>) {
          my (undef, $place, $type, $how) = split ' ';
          next if $type =~ /^(tmpfs|proc|sysfs|devpts|mqueue|devtmpfs|cgroup2?)$/;
          $how =~ /^ro\\b/ ? held('read-only') : broke("$place $type is writable");
        }
        held('none');`,
    }),
  ],
};
