import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Announcer } from './announcer.ts';
import type { Connections } from './pool.ts';

describe('an announcer', () => {
  it('says what comes in the very moment it has said all', async () => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      let said = 0;
      const connections: Connections = {
        async use() {
          said += 1;
          throw new Error('Nobody listens.');
        },
        useKept: () => Promise.reject(new Error('Not used.')),
        end: async () => {},
      };
      const announcer = new Announcer({ connections, from: 'a', closing: AbortSignal.abort() });
      announcer.appended();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      announcer.appended();
      await announcer.settled();
      assert.equal(said, 2, `after ${ticks} ticks`);
    }
  });
});
