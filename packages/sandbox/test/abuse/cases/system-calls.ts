import type { AbuseCase, AbuseGroup } from '../abuse-case.ts';
import { attack } from '../attack.ts';

interface Call {
  readonly name: string;
  readonly tries: string;
  /** By machine: x64, arm64. */
  readonly number: readonly [number, number];
  /** As Perl writes them. */
  readonly args?: string;
}

/** Calls that have led out of sandboxes, or that reach what no sandbox should. */
const calls: readonly Call[] = [
  {
    name: 'io_uring_setup',
    tries: 'a ring of requests no filter sees',
    number: [425, 425],
    args: '8, 0',
  },
  { name: 'bpf', tries: 'a program in the kernel', number: [321, 280], args: '0, 0, 0' },
  {
    name: 'perf_event_open',
    tries: 'events of the kernel',
    number: [298, 241],
    args: '0, 0, -1, -1, 0',
  },
  {
    name: 'userfaultfd',
    tries: 'page faults held up, to win races',
    number: [323, 282],
    args: '0',
  },
  {
    name: 'keyctl',
    tries: 'keys of the kernel, that no namespace parts',
    number: [250, 219],
    args: '0, -3, 0',
  },
  {
    name: 'add_key',
    tries: 'a key for all of its user',
    number: [248, 217],
    args: '0, 0, 0, 0, -3',
  },
  {
    name: 'ptrace',
    tries: 'to hold and change another process',
    number: [101, 117],
    args: '16, getppid, 0, 0',
  },
  {
    name: 'process_vm_readv',
    tries: 'the memory of another process',
    number: [310, 270],
    args: 'getppid, 0, 0, 0, 0, 0',
  },
  {
    name: 'pidfd_getfd',
    tries: 'a descriptor of another process',
    number: [438, 438],
    args: '-1, 0, 0',
  },
  {
    name: 'open_by_handle_at',
    tries: 'a file by its number, past every folder',
    number: [304, 265],
    args: '-100, 0, 0',
  },
  {
    name: 'name_to_handle_at',
    tries: 'the number of a file',
    number: [303, 264],
    args: '-100, 0, 0, 0, 0',
  },
  { name: 'mount', tries: 'a mount by the old call', number: [165, 40], args: '0, 0, 0, 0, 0' },
  { name: 'umount2', tries: 'to uncover what a mount hides', number: [166, 39], args: '0, 0' },
  { name: 'unshare', tries: 'a namespace of its own', number: [272, 97], args: '0x10000000' },
  { name: 'chroot', tries: 'another root', number: [161, 51], args: '0' },
  { name: 'setns', tries: 'the namespace of another', number: [308, 268], args: '-1, 0' },
  { name: 'fsopen', tries: 'a mount by the new calls', number: [430, 430], args: '0, 0' },
  {
    name: 'open_tree',
    tries: 'a copy of the tree of mounts',
    number: [428, 428],
    args: '-100, 0, 0',
  },
  { name: 'pivot_root', tries: 'another root', number: [155, 41], args: '0, 0' },
  { name: 'init_module', tries: 'a module for the kernel', number: [175, 105], args: '0, 0, 0' },
  { name: 'kexec_load', tries: 'another kernel', number: [246, 104], args: '0, 0, 0, 0' },
  { name: 'reboot', tries: 'the end of the machine', number: [169, 142], args: '0, 0, 0, 0' },
  { name: 'clock_settime', tries: 'another time for all', number: [227, 112], args: '0, 0' },
  { name: 'settimeofday', tries: 'the same the old way', number: [164, 170], args: '0, 0' },
  { name: 'sethostname', tries: 'another name of the machine', number: [170, 161], args: '0, 0' },
  { name: 'swapon', tries: 'swap space of its own', number: [167, 224], args: '0, 0' },
  { name: 'quotactl', tries: 'quotas of the disk', number: [179, 60], args: '0, 0, 0, 0' },
  { name: 'acct', tries: 'a log of all processes', number: [163, 89], args: '0' },
  { name: 'syslog', tries: 'the log of the kernel', number: [103, 116], args: '10, 0, 0' },
  { name: 'fanotify_init', tries: 'events of all files', number: [300, 262], args: '0, 0' },
];

/** CLONE_NEWUSER, NEWNS, NEWNET, NEWPID. */
const namespaces = ['0x10000000', '0x00020000', '0x40000000', '0x20000000'];

function callCase({ name, tries, number, args = '' }: Call): AbuseCase {
  const [x64, arm64] = number;
  const words = args === '' ? '' : `, ${args}`;
  return attack({
    name,
    tries,
    perl: `
      $! = 0;
      my $result = syscall(${process.arch === 'arm64' ? arm64 : x64}${words});
      $result != -1 ? broke('it worked') : refused() ? held("$!") : broke("let in: $!");`,
  });
}

/** The kernel’s own door: system calls made directly, past every program and library. */
export const systemCalls: AbuseGroup = {
  title: 'System calls',
  cases: [
    ...calls.map(callCase),
    attack({
      name: 'clone with namespaces',
      tries: 'new namespaces by clone and clone3, where unshare is refused',
      perl: `
        my $clone = ${process.arch === 'arm64' ? 220 : 56};
        for my $flag (${namespaces.join(', ')}) {
          my $pid = syscall($clone, $flag | 17, 0, 0, 0, 0);
          exit 0 if $pid == 0;
          if ($pid > 0) { waitpid $pid, 0; broke(sprintf 'clone 0x%x', $flag) }
          else { refused() ? held("$!") : broke("let in: $!") }
        }
        my $wanted = pack 'Q11', 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0;
        my $pid = syscall(435, $wanted, 88);
        exit 0 if $pid == 0;
        $pid > 0 ? broke('clone3') : refused() ? held("$!") : broke("clone3 let in: $!");`,
    }),
    attack({
      name: 'sockets of other kinds',
      tries: 'vsock to the hypervisor, packets, the kernel’s crypto, XDP',
      perl: `
        for my $kind ([40, 1], [17, 3], [38, 5], [44, 3], [31, 3], [29, 3]) {
          socket(my $socket, $kind->[0], $kind->[1], 0) ? broke("family $kind->[0]")
            : (refused() || $!{EPROTONOSUPPORT} || $!{ESOCKTNOSUPPORT}) ? held("$!") : broke("let in: $!");
        }`,
    }),
    attack({
      name: 'calls of another machine',
      tries: 'x32 numbers, that a filter of x64 numbers does not know',
      perl: `
        for my $number (0x40000000 | 425, 0x40000000 | 101, 0x40000000 | 272) {
          my $pid = fork // die;
          unless ($pid) {
            my $result = syscall($number, 0, 0, 0, 0);
            $result != -1 ? broke('it worked') : refused() ? held("$!") : broke("let in: $!");
            exit;
          }
          waitpid $pid, 0;
          held('killed') if $? & 127;
        }`,
    }),
  ],
};
