import { createProcessBackend } from '@forge/sandbox';
import { openSqliteStore } from '@forge/store';
import { createWorkspaces } from './create-workspaces.ts';

/**
 * Works on the run in the second argument, of the store in the first, with the scripts that follow
 * the third: each is run in the sandbox and kept. Ends itself as `kill -9` would at the step that the
 * third names, of the last keep.
 */
const [file = '', runId = '', dieAt = '', ...scripts] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const backend = createProcessBackend({ trusted: true });
let last = false;
const workspaces = createWorkspaces({
  store,
  backend: async () => backend,
  onStep: (step) => {
    if (last && step === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
for (const [index, script] of scripts.entries()) {
  const sandbox = await workspaces.sandboxOf({ runId });
  await sandbox.exec({ argv: ['sh', '-c', script] }).result;
  last = index === scripts.length - 1;
  await workspaces.keep(runId, `Script ${index + 1}`);
}
process.kill(process.pid, 'SIGKILL');
