import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

export type Controller = 'memory' | 'pids' | 'cpu' | 'cpuacct';

/** A folder of the kernel's in which a cgroup for a sandbox may be made. */
export interface CgroupHome {
  readonly version: 1 | 2;
  readonly folder: string;
  readonly controllers: readonly Controller[];
}

const known: readonly Controller[] = ['memory', 'pids', 'cpu', 'cpuacct'];

/**
 * Where cgroups could be made, below our own: so a sandbox never gets more than we have. In version
 * 2 a group with processes in it has no say over others, so the groups above follow.
 */
export async function findCgroups(): Promise<readonly CgroupHome[]> {
  const [mounts, own] = await Promise.all([
    readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
    readFile('/proc/self/cgroup', 'utf8').catch(() => ''),
  ]);
  return cgroupHomes(mounts, own);
}

/** From the kernel's own lists of mounts and of our groups. */
export function cgroupHomes(mounts: string, own: string): readonly CgroupHome[] {
  const homes: CgroupHome[] = [];
  for (const { root, folder, type, options } of mountsOf(mounts)) {
    if (type === 'cgroup') {
      const controllers = known.filter((name) => options.includes(name));
      if (controllers.length === 0) continue;
      const path = ownPath(own, ([, names]) =>
        names.split(',').some((name) => options.includes(name)),
      );
      homes.push({ version: 1, folder: below(folder, root, path), controllers });
    } else if (type === 'cgroup2') {
      const path = ownPath(own, ([id]) => id === '0');
      let at = below(folder, root, path);
      for (;;) {
        homes.push({ version: 2, folder: at, controllers: known });
        if (at === folder || !at.startsWith(folder)) break;
        at = dirname(at);
      }
    }
  }
  return homes;
}

function mountsOf(text: string) {
  return text.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ');
    const [, , , root, folder] = before.split(' ');
    const [type, , options] = after?.split(' ') ?? [];
    if (root === undefined || folder === undefined || type === undefined) return [];
    return [{ root, folder, type, options: options?.split(',') ?? [] }];
  });
}

/** Lines of /proc/self/cgroup: `4:memory:/some/group`. */
function ownPath(text: string, is: (line: readonly [string, string]) => boolean): string {
  for (const line of text.split('\n')) {
    const [id = '', names = '', ...path] = line.split(':');
    if (path.length > 0 && is([id, names])) return path.join(':');
  }
  return '/';
}

/** Our group under the mount; the mount itself if the group is not to be seen there. */
function below(folder: string, root: string, path: string): string {
  const inside = relative(root, path);
  const own = inside.startsWith('..') ? folder : join(folder, inside);
  return existsSync(own) ? own : folder;
}
