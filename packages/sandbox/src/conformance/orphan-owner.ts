import * as z from 'zod';
import type { SandboxBackend } from '../sandbox.ts';

/**
 * A process that starts a sandbox with commands in it, sends its id, and then waits to be killed.
 * Its argument says how, as JSON; `mark` is what the processes carry in their command line.
 */
const plan = z
  .object({
    module: z.string(),
    make: z.string(),
    options: z.unknown().optional(),
    sandbox: z.looseObject({}),
    mark: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

const exports: Record<string, unknown> = await import(plan.module);
const make = exports[plan.make];
if (typeof make !== 'function') throw new Error(`${plan.module} exports no function ${plan.make}`);
const backend: SandboxBackend = await make(plan.options);
const sandbox = await backend.start(plan.sandbox);
const script = `
  setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.2; done' "$1" >/dev/null 2>&1 &
  echo up; sh -c 'while :; do sleep 0.2; done' "$1"`;
const execution = sandbox.exec({ argv: ['sh', '-c', script, 'sh', plan.mark] });
for await (const _ of execution.output) break;
process.send?.(sandbox.id);
setInterval(() => undefined, 1000);
