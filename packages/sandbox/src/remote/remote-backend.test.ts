import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import { createMemoryBackend } from '../memory/create-memory-backend.ts';
import { createProcessBackend } from '../process/create-process-backend.ts';
import { backendThrough } from './testing/backend-through.ts';

sandboxConformance({
  name: 'remote, on memory',
  make: () => backendThrough(createMemoryBackend()),
  traits: { processes: false, isolated: true, holds: [] },
});

sandboxConformance({
  name: 'remote, on processes',
  make: () => backendThrough(createProcessBackend({ trusted: true })),
  traits: { processes: true, isolated: false, holds: [] },
});
