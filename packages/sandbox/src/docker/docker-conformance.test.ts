import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import { makeTestBackend } from '../testing/make-test-backend.ts';

process.env.FORGE_TEST_SECRET = 'must not be seen';

sandboxConformance({
  name: 'docker',
  make: makeTestBackend,
  traits: { processes: true, isolated: true, holds: ['memory', 'pids', 'disk'] },
  owner: {
    module: new URL('../testing/make-test-backend.ts', import.meta.url).href,
    make: 'makeTestBackend',
  },
});
