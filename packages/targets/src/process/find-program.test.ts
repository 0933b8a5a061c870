import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canRun, programOf } from './find-program.ts';

describe('programOf', () => {
  const cases: readonly [string | string[], string | undefined][] = [
    [['node', 'x'], 'node'],
    ['node server.js', 'node'],
    ['./run.sh --fast', './run.sh'],
    ['npm run build && npm start', 'npm'],
    ['cd app && node x', undefined],
    ['A=1 node x', undefined],
    ['"my program"', undefined],
    ['$RUNNER x', undefined],
    ['if true; then node x; fi', undefined],
  ];
  for (const [command, program] of cases) {
    it(`of ${JSON.stringify(command)} is ${program ?? 'not told'}`, () => {
      assert.equal(programOf(command), program);
    });
  }
});

describe('canRun', () => {
  it('looks along the path, and in the folder for what has a slash', () => {
    const at = { cwd: '/bin', path: '/nowhere:/bin' };
    assert.equal(canRun('sh', at), true);
    assert.equal(canRun('./sh', at), true);
    assert.equal(canRun('no-such-program', at), false);
    assert.equal(canRun('./no-such-program', at), false);
    assert.equal(canRun('/etc/passwd', at), false);
  });
});
