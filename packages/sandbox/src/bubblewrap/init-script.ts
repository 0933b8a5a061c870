import type { SandboxLimits } from '../sandbox.ts';
import { ownProcesses } from './cgroup/make-cgroup.ts';

/** Inside: where the host puts what a channel needs to be opened. Read-only there. */
export const doorFolder = '/run/forge';

/**
 * The first process of a sandbox. For each name on its input it starts what the host put there under
 * that name; for an empty line it takes leave of the dead, for whom it is the parent. As the first
 * process it cannot be killed from within. It ends, and with it everything, when its input ends.
 *
 * `command eval` keeps the shell alive where no process can be started any more.
 */
export function initScript(limits: SandboxLimits, memory: 'cgroup' | 'each process'): string {
  const processes = limits.pids + ownProcesses(limits);
  const kilobytes = Math.ceil(limits.memoryBytes / 1024);
  return `
ulimit -c 0
ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null
${memory === 'each process' ? `ulimit -d ${kilobytes} 2>/dev/null` : ''}
echo ready
while IFS= read -r _name; do
  case $_name in
    '') jobs >/dev/null ;;
    *) command eval 'setsid sh "${doorFolder}/$_name" </dev/null &' ;;
  esac
done
`;
}

/** What the first process starts for a channel: says so, then becomes the process on three pipes. */
export function doorScript(options: {
  readonly name: string;
  readonly argv: readonly string[];
}): string {
  const { name, argv } = options;
  const at = `${doorFolder}/${name}`;
  return `exec 3<${at}.in 4>${at}.out 5>${at}.err
echo ${name}
exec ${argv.map(quote).join(' ')} <&3 >&4 2>&5 3<&- 4>&- 5>&-
`;
}

/** A word for the shell that stands for exactly this text. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
