import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AbuseBackend, expectationOf } from './abuse-case.ts';
import { abuseGroups } from './cases/index.ts';
import { Play } from './play.ts';
import { makeTarget } from './targets.ts';

const longestMs = 240_000;

/** Plays every case on a backend and compares what is seen with what is said of it. */
export function abuseSuite(backend: AbuseBackend, env: NodeJS.ProcessEnv): void {
  describe(`abuse of ${backend}`, () => {
    let play: Play | undefined;
    before(async () => {
      play = await Play.open(await makeTarget[backend](), env);
    });
    after(() => play?.close());

    for (const { title, cases } of abuseGroups) {
      describe(title, () => {
        for (const abuse of cases) {
          const expected = expectationOf(abuse, backend);
          if (expected === 'not run') continue;
          it(`${expected}: ${abuse.name}`, { timeout: longestMs }, async () => {
            assert.ok(play);
            if (expected === 'not offered') {
              assert.ok(await play.refuses(abuse), 'it was started');
              return;
            }
            const { held, seen } = await play.run(abuse);
            assert.equal(held, expected === 'holds', seen);
          });
        }
      });
    }
  });
}
