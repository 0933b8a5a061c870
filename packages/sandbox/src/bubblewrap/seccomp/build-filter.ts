import { answer, codes, fields, type Instruction, load, unless } from './assemble.ts';
import { deniedCalls, inspectedCalls, lastKnownCall } from './denied-syscalls.ts';

export type Machine = 'x64' | 'arm64';

/** What the kernel calls them (`AUDIT_ARCH_…`). */
const machines: Readonly<Record<Machine, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

const errno = (number: number): number => 0x00050000 | number;
export const answers = {
  allow: 0x7fff0000,
  /** EPERM: not for you. */
  denied: errno(1),
  /** ENOSYS: programs take another way. */
  missing: errno(38),
  /** EAFNOSUPPORT. */
  noFamily: errno(97),
} as const;

/** CLONE_NEW… of every kind that `clone` takes: mount, cgroup, uts, ipc, user, pid, net. */
const namespaceFlags = 0x7e020000;

/** Types characters into the terminal; copies and pastes on a console. */
const terminalCommands = [0x5412, 0x541c];

/** Unix, IPv4, IPv6, netlink. Others (vsock, af_alg…) are not held by a network namespace, or odd. */
const families = [1, 2, 10, 16];

/** Calls by the old numbers of x32 have this bit set. */
const x32Bit = 0x40000000;

/**
 * The seccomp filter of a sandbox: denies what is listed, answers calls of other machines and
 * unknown ones as missing, and lets the rest through.
 */
export function buildFilter(machine: Machine): Instruction[] {
  const denied = Object.values(deniedCalls).flatMap((call) => call[machine] ?? []);
  return [
    load(fields.machine),
    { code: codes.equal, ifTrue: 1, ifFalse: 0, value: machines[machine] },
    answer(answers.missing),
    load(fields.number),
    ...(machine === 'x64' ? refuse('atLeast', x32Bit, answers.missing) : []),
    ...refuse('greater', lastKnownCall, answers.missing),
    ...refuse('equal', inspectedCalls.clone3[machine], answers.missing), // Its flags lie in memory.
    ...denied.flatMap((number) => refuse('equal', number, answers.denied)),
    ...inspect(inspectedCalls.clone[machine], [
      load(fields.argument(0)),
      ...refuse('anyBit', namespaceFlags, answers.denied),
      answer(answers.allow),
    ]),
    ...inspect(inspectedCalls.ioctl[machine], [
      load(fields.argument(1)),
      ...terminalCommands.flatMap((command) => refuse('equal', command, answers.denied)),
      answer(answers.allow),
    ]),
    ...inspect(inspectedCalls.socket[machine], [
      load(fields.argument(0)),
      ...families.flatMap((family) => refuse('equal', family, answers.allow)),
      answer(answers.noFamily),
    ]),
    answer(answers.allow),
  ];
}

function refuse(
  comparison: 'equal' | 'greater' | 'atLeast' | 'anyBit',
  value: number,
  result: number,
): Instruction[] {
  return [unless(comparison, value, 1), answer(result)];
}

/** What is done for one call. Every way through it has to end in an answer. */
function inspect(number: number, body: readonly Instruction[]): Instruction[] {
  return [unless('equal', number, body.length), ...body];
}
