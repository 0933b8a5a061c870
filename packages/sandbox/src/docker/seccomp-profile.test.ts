import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { seccompProfile } from './seccomp-profile.ts';

const profile = z
  .object({
    defaultAction: z.string(),
    syscalls: z.array(
      z.object({
        names: z.array(z.string()),
        action: z.string(),
        args: z.array(z.unknown()).optional(),
      }),
    ),
  })
  .parse(JSON.parse(seccompProfile()));
const allowed = profile.syscalls
  .filter(({ action, args }) => action === 'SCMP_ACT_ALLOW' && args === undefined)
  .flatMap(({ names }) => names);

test('denies what it does not name', () => {
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
});

test('names every call once', () => {
  assert.equal(new Set(allowed).size, allowed.length);
  assert.ok(allowed.every((name) => /^[a-z0-9_]+$/.test(name)));
});

test('names none that has led out of sandboxes', () => {
  const dangerous = `io_uring_setup io_uring_enter io_uring_register bpf keyctl add_key request_key
    userfaultfd perf_event_open ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd unshare
    setns mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount mount_setattr
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    settimeofday clock_settime adjtimex iopl ioperm open_by_handle_at name_to_handle_at acct quotactl
    syslog fanotify_init lookup_dcookie nfsservctl modify_ldt memfd_secret clone clone3 socket
    socketpair personality`.split(/\s+/);
  assert.deepEqual(
    dangerous.filter((name) => allowed.includes(name)),
    [],
  );
});
