import type { Ground } from '../channel/shell-sandbox.ts';
import type { Execution } from '../sandbox.ts';
import { workspaceFolder } from './arguments.ts';
import { cgroupUsage } from './cgroup/cgroup-usage.ts';
import type { Cgroup } from './cgroup/make-cgroup.ts';
import type { BwrapProcess } from './start-bwrap.ts';

/** How often the first process is asked to take leave of dead children while commands run. */
const reapMs = 250;

/** The namespaces that a `bwrap` has made, as a sandbox stands on them. */
export function bubblewrapGround({
  process,
  shell,
  egress,
  cgroups,
  onEnd,
}: Pick<Ground, 'shell' | 'egress'> & {
  readonly process: BwrapProcess;
  readonly cgroups: readonly Cgroup[];
  /** Removes what belonged to it. */
  readonly onEnd: () => Promise<void>;
}): Ground {
  const { child, input, ended } = process;
  let running = 0;
  let reaper: NodeJS.Timeout | undefined;
  const reap = () => {
    if (!input.writableNeedDrain) input.write('\n');
  };
  return {
    backend: 'bubblewrap',
    workspace: workspaceFolder,
    shell,
    egress,
    gone: ended.then((words) => `The sandbox ended: ${words}`),
    usage: () => cgroupUsage(cgroups),
    onExec({ result }: Execution) {
      running += 1;
      reaper ??= setInterval(reap, reapMs).unref();
      void result.then(() => {
        running -= 1;
        reap();
        if (running > 0) return;
        clearInterval(reaper);
        reaper = undefined;
      });
    },
    async remove() {
      clearInterval(reaper);
      child.kill('SIGKILL'); // With it goes all that is inside: they die with their parent.
      await ended;
      await egress?.close();
      await onEnd();
    },
  };
}
