// Fetches the small model of the opt-in tests into the cache folder and prints its path.
// Run it: node scripts/fetch-test-model.ts
import { join } from 'node:path';
import { cacheFolder } from './test-model/cache-folder.ts';
import { fetchWeights } from './test-model/fetch-weights.ts';

try {
  const folder = join(cacheFolder(), 'test-model');
  console.log(await fetchWeights({ folder, say: (line) => console.error(line) }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.message);
  process.exitCode = 1;
}
