import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Who owns something that may outlive it: a process, told apart from a later one with the same
 * number by the time it started. The numbers mean something only in one space of process numbers of
 * one boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks since boot. */
  readonly started: string;
  /** Of the boot and of the space of process numbers. */
  readonly space: string;
}

/** This process, as text that may stand in a file's name. */
export function ownIdentity(): string {
  const { pid } = process;
  return formatIdentity(identifyProcess(pid) ?? { pid, started: '0', space: noSpace });
}

/** Who has that number now. Undefined when nobody has, only its corpse is left, or there is no /proc. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  const space = ownSpace();
  return started === undefined || space === undefined ? undefined : { pid, started, space };
}

export function formatIdentity({ pid, started, space }: ProcessIdentity): string {
  return `${pid}-${started}-${space}`;
}

/** Undefined if the text is none. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, started, space] = /^(\d{1,10})-(\d{1,20})-([0-9a-f]+)$/.exec(text) ?? [];
  if (pid === undefined || started === undefined || space === undefined) return undefined;
  return { pid: Number(pid), started, space };
}

/** `unknown`: it lives, or lived, where we cannot look: in another container, or without a /proc. */
export function fateOf({ pid, started, space }: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const own = ownSpace();
  if (own === undefined || space === noSpace) return 'unknown';
  if (space.slice(0, bootDigits) !== own.slice(0, bootDigits)) return 'dead'; // Another boot.
  if (space !== own) return 'unknown';
  return startOf(pid) === started ? 'alive' : 'dead';
}

const bootDigits = 8;
/** Stands where a system has no /proc to tell. */
const noSpace = '0';

function ownSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, bootDigits);
    const numbers = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
    return `${boot}${Number(numbers).toString(16)}`;
  } catch {
    return undefined;
  }
}

/** When a process started, in ticks since boot; undefined if there is none of that number. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Its name may hold spaces and brackets: fields count from behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
