import { allowedCalls } from './seccomp-calls.ts';

/** Unix, IPv4, IPv6, netlink (to ask for one's own addresses). Not: raw packets, vsock, af_alg… */
const socketFamilies = [1, 2, 10, 16];
/** CLONE_NEW…: namespaces of every kind. */
const namespaceFlags = 0x7e020000;
/** The usual one, and the question which one it is. */
const personalities = [0, 0xffffffff];
const notImplemented = 38;

interface Rule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  }[];
}

/** The profile in the form Docker takes with `--security-opt seccomp=`, as text. */
export function seccompProfile(): string {
  const names = Object.values(allowedCalls).flatMap((list) => list.trim().split(/\s+/));
  const rules: Rule[] = [
    { names, action: 'SCMP_ACT_ALLOW' },
    ...socketFamilies.map((family) => onlyFor('socket', family)),
    onlyFor('socketpair', 1),
    ...personalities.map((personality) => onlyFor('personality', personality)),
    {
      names: ['clone'],
      action: 'SCMP_ACT_ALLOW',
      args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
    },
    // Its flags lie in memory, where no filter sees them: programs fall back on clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: notImplemented },
  ];
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    archMap: [
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ],
    syscalls: rules,
  });
}

function onlyFor(name: string, value: number): Rule {
  return {
    names: [name],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
  };
}
