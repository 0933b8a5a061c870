import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { applyChanges } from './apply-changes.ts';
import type { Change } from './collect-changes.ts';
import { stateOnHost } from './tree-state.ts';

/**
 * Applies to the tree in the first argument all files of the folder in the second, in place of all
 * it has, with the key in the third, and ends itself as `kill -9`
 * would at the step that the fourth names, if it names one.
 */
const [root = '', content = '', stateFolder = '', dieAt = ''] = process.argv.slice(2);
const changes: Change[] = [];
for (const path of readdirSync(root)) {
  const before = await stateOnHost(root, path);
  if (before !== undefined) changes.push({ path, type: 'deleted', before });
}
for (const path of readdirSync(content)) {
  const after = await stateOnHost(content, path);
  if (after !== undefined)
    changes.push({ path, type: 'added', after, content: join(content, path) });
}
await applyChanges({
  root,
  changes,
  stateFolder,
  onStep: (step) => {
    if (step === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
