import { readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC`: closed when another program is started. */
const closesItself = 0o2000000;

/**
 * Descriptors that every program we start would get: those we were started with ourselves, such as
 * the lock of a shell script (`exec 200>lock`). Node shuts the first few of them, not all.
 */
export function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && !closes(fd));
}

function closes(fd: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closesItself) !== 0;
  } catch {
    return true; // It is gone: it was the one by which the list was read.
  }
}
