import { describe } from 'node:test';
import { archivesConformance } from './archives.ts';
import { commandsConformance } from './commands.ts';
import { concurrencyConformance } from './concurrency.ts';
import { endingsConformance } from './endings.ts';
import { filesConformance } from './files.ts';
import { hostileArchivesConformance } from './hostile-archives.ts';
import { isolationConformance } from './isolation.ts';
import type { ConformanceSetup } from './kit.ts';
import { lifecycleConformance } from './lifecycle.ts';
import { limitsConformance } from './limits.ts';
import { orphansConformance } from './orphans.ts';
import { streamsConformance } from './streams.ts';

/**
 * What every sandbox has to do. `traits` says what else this one does; tests of what it does not
 * claim are skipped, and its `Availability.cannot` has to say so.
 *
 * @example
 * sandboxConformance({
 *   name: 'bubblewrap',
 *   make: async () => createBubblewrapBackend(),
 *   traits: { processes: true, isolated: true, holds: ['memory', 'pids', 'disk'] },
 * });
 */
export function sandboxConformance(setup: ConformanceSetup): void {
  describe(`${setup.name} sandbox`, () => {
    commandsConformance(setup);
    streamsConformance(setup);
    endingsConformance(setup);
    concurrencyConformance(setup);
    filesConformance(setup);
    archivesConformance(setup);
    hostileArchivesConformance(setup);
    lifecycleConformance(setup);
    limitsConformance(setup);
    isolationConformance(setup);
    orphansConformance(setup);
  });
}
