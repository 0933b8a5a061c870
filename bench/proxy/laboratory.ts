import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModule } from './child.ts';
import { type LoadDriver, startLoad } from './load-driver.ts';
import type { Contender, Middle } from './middle.ts';
import { canReadUsage, readUsage } from './process-usage.ts';

/** Everything one run needs, in processes of their own. `stop` ends them all. */
export interface Laboratory {
  readonly load: LoadDriver;
  readonly middles: ReadonlyMap<string, Middle>;
  /** Nanoseconds of processor time the load and the backend have used. */
  ownCpu(): number;
  /** Why a contender is not there. */
  readonly skipped: readonly string[];
  stop(): Promise<void>;
}

export async function openLaboratory(contenders: readonly Contender[]): Promise<Laboratory> {
  if (!canReadUsage()) {
    throw new Error(
      'This bench reads processor time from /proc, which only Linux has. Run it there.',
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'));
  const running: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(running.map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const backend = await startModule({
      file: new URL('backend.ts', import.meta.url),
      role: 'backend',
    });
    running.push(backend);
    const load = await startLoad();
    running.push(load);
    const middles = new Map<string, Middle>();
    const skipped: string[] = [];
    for (const [at, contender] of contenders.entries()) {
      try {
        const middle = await contender.start({
          backendPort: backend.port,
          folder: join(folder, String(at)),
        });
        running.push(middle);
        middles.set(contender.name, middle);
      } catch (error) {
        const [reason] = String(error).split('\n');
        skipped.push(`${contender.name} is not in this run: ${reason}`);
      }
    }
    const ownCpu = () => readUsage(backend.pid).cpu + readUsage(load.pid).cpu;
    return { load, middles, ownCpu, skipped, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
