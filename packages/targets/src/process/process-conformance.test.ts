import { targetConformance } from '../testing/target-conformance.ts';
import { processTarget } from './process-target.ts';

targetConformance('the process target', async () => ({
  target: processTarget,
  config: { start: [process.execPath, 'server.mjs'], stop_grace_s: 2 },
}));
