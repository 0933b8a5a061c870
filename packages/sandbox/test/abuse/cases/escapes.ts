import type { AbuseGroup } from '../abuse-case.ts';
import { attack } from '../attack.ts';

/** Tries to write to each path that follows; `HELD` with what the shell said. */
const writeEach = `
  for path do
    said=$( { echo 1 > "$path"; } 2>&1 ) && echo "BROKE $path" || echo "HELD \${said##*: }"
  done`;
const openEach = `
  for path do
    said=$( { head -c 1 < "$path" > /tmp/byte; } 2>&1 ) || { echo "HELD \${said##*: }"; continue; }
    [ -s /tmp/byte ] && echo "BROKE $path" || echo 'HELD empty'
  done`;

/** Getting out: through the file system, devices, the kernel’s files, other users. */
export const escapes: AbuseGroup = {
  title: 'Ways out',
  cases: [
    attack({
      name: 'write to the system',
      tries: 'writes to /, /usr, /etc, /bin, /lib, /dev',
      sh: writeEach,
      args: () => ['/x', '/usr/x', '/etc/passwd', '/bin/x', '/lib/x', '/dev/x'],
    }),
    attack({
      name: 'kernel settings',
      tries: 'writes to /proc/sys: core_pattern, modprobe, overcommit, binfmt_misc',
      sh: writeEach,
      args: () => [
        '/proc/sys/kernel/core_pattern',
        '/proc/sys/kernel/modprobe',
        '/proc/sys/kernel/hostname',
        '/proc/sys/vm/overcommit_memory',
        '/proc/sys/fs/binfmt_misc/register',
      ],
    }),
    attack({
      name: 'sysrq',
      tries: 'writes to /proc/sysrq-trigger',
      sh: writeEach,
      args: () => ['/proc/sysrq-trigger', '/proc/sys/kernel/sysrq'],
    }),
    attack({
      name: 'uevent_helper and cgroup agents',
      tries: 'has the kernel start a program on the host',
      sh: `
        for path in /sys/kernel/uevent_helper /sys/fs/cgroup/release_agent \\
          /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/tasks; do
          said=$( { echo 1 > "$path"; } 2>&1 ) && echo "BROKE $path" || echo "HELD \${said##*: }"
        done`,
    }),
    attack({
      name: 'kernel memory',
      tries: 'reads /proc/kcore, /dev/mem, /dev/kmem, /dev/port, addresses in kallsyms',
      sh: `${openEach}
        grep -q -v '^0* ' /proc/kallsyms 2>/dev/null && echo 'BROKE kallsyms' || echo 'HELD no address'`,
      args: () => ['/proc/kcore', '/dev/mem', '/dev/kmem', '/dev/port'],
    }),
    attack({
      name: 'kernel log',
      tries: 'reads what the kernel says (dmesg, /dev/kmsg, /proc/kmsg)',
      sh: `${openEach}
        said=$(dmesg 2>&1 >/dev/null) && echo 'BROKE dmesg' || echo "HELD \${said##*: }"`,
      args: () => ['/dev/kmsg', '/proc/kmsg'],
    }),
    attack({
      name: 'devices of the machine',
      tries: 'opens disks, /dev/kvm, /dev/fuse, /dev/net/tun, loop devices',
      sh: openEach,
      args: () => [
        ...['/dev/vda', '/dev/sda', '/dev/nvme0n1', '/dev/kvm', '/dev/fuse', '/dev/net/tun'],
        ...['/dev/loop-control', '/dev/loop0', '/dev/mapper/control', '/dev/vhost-vsock'],
      ],
    }),
    attack({
      name: 'mknod',
      tries: 'makes a device of its own for the disk and for memory',
      sh: `cd /tmp
        for device in 'b 8 0' 'b 254 0' 'c 1 1'; do
          said=$(mknod made $device 2>&1) || { echo "HELD \${said##*: }"; continue; }
          said=$( { head -c 1 < made > byte; } 2>&1 ) && echo "BROKE $device" || echo "HELD \${said##*: }"
          rm -f made
        done`,
    }),
    attack({
      name: 'terminal of the host',
      tries: 'opens /dev/tty to type into it',
      perl: `open(my $tty, '+<', '/dev/tty') ? broke('opened') : held("$!");`,
    }),
    attack({
      name: 'Docker socket',
      tries: 'connects to /var/run/docker.sock, containerd.sock, podman.sock',
      perl: `
        for my $path (@ARGV) {
          socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or do { held("$!"); next };
          connect($socket, pack_sockaddr_un($path)) ? broke($path) : held("$!");
        }`,
      args: () => [
        ...['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'],
        ...['/var/run/docker/containerd/containerd.sock', '/run/podman/podman.sock'],
      ],
    }),
    attack({
      name: 'mount',
      tries: 'mounts a tmpfs, /proc, a cgroup, binds / elsewhere',
      sh: `mkdir -p /tmp/at
        for how in '-t tmpfs x' '-t proc x' '-t cgroup x' '-t sysfs x' '--bind /'; do
          said=$(mount $how /tmp/at 2>&1) && echo "BROKE $how" || echo "HELD \${said##*: }"
        done`,
    }),
    attack({
      name: 'namespaces of its own',
      tries: 'unshare, to be root in a namespace where more is allowed',
      sh: `
        for how in -r -U -m -n -p -i -u -C '-r -m' '-r -n'; do
          said=$(unshare $how true 2>&1) && echo "BROKE unshare $how" || echo "HELD \${said##*: }"
        done`,
    }),
    attack({
      name: 'namespaces of others',
      tries: 'nsenter into those of the first process',
      sh: `said=$(nsenter -t 1 -a true 2>&1) && echo 'BROKE entered' || echo "HELD \${said##*: }"
        said=$(nsenter -t 1 -m true 2>&1) && echo 'BROKE entered' || echo "HELD \${said##*: }"`,
    }),
    attack({
      name: 'chroot',
      tries: 'chroot, the first step out of a root by ..',
      sh: `said=$(chroot / true 2>&1) && echo 'BROKE chroot' || echo "HELD \${said##*: }"`,
    }),
    attack({
      name: 'become root',
      tries: 'setuid(0), su, sudo, and every setuid program there is',
      perl: `
        my ($setuid, $setgid) = ${process.arch === 'arm64' ? '(146, 144)' : '(105, 106)'};
        syscall($setuid, 0) == -1 ? held("$!") : broke('setuid 0');
        syscall($setgid, 0) == -1 ? held("$!") : broke('setgid 0');
        open my $status, '<', '/proc/self/status' or die;
        my %is = map { /^(\\w+):\\s+(.*)/ } <$status>;
        $is{NoNewPrivs} eq '1' ? held('no new privileges') : broke('new privileges can be had');
        for my $try ('su -c id', 'sudo -n id', 'setuid-id') {
          my $id = \`$try 2>/dev/null </dev/null\`;
          broke($try) if $id =~ /uid=0/;
        }`,
    }),
    attack({
      name: 'capabilities',
      tries: 'looks for any that is left, to have or to get',
      perl: `
        open my $status, '<', '/proc/self/status' or die;
        my %is = map { /^(\\w+):\\s+(.*)/ } <$status>;
        for my $set (qw(CapInh CapPrm CapEff CapBnd CapAmb)) {
          $is{$set} =~ /^0+$/ ? held('none') : broke("$set $is{$set}");
        }`,
    }),
  ],
};
