import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRecord } from './demo-end.ts';
import { DemoPlace } from './demo-place.ts';
import type { EventLine } from './forge-process.ts';

/** A coder's tests run in the sandbox. */
const checksBegin = ({ agent, event }: EventLine) =>
  agent.endsWith('coder') && event.type === 'tool.started' && event.name === 'run_checks';

describe('Ctrl-C in the middle of the demo', { concurrency: 2 }, () => {
  it('pauses it; resumed, it ends as if nothing had been', async (t) => {
    const place = new DemoPlace();
    t.after(() => place.remove());
    const forge = place.start('demo', '--json', '--delay', '0', '--folder', place.folder);
    const { rootId } = await forge.told(checksBegin);
    // To the whole group, as a terminal does it.
    forge.signal('SIGINT');
    const { code, errors } = await forge.ended;
    assert.equal(code, 130, errors);
    assert.match(errors, new RegExp(`forge resume ${rootId.slice(0, 8)}`));
    const paused = await readRecord(place);
    assert.equal(paused.family[0]?.run.state, 'paused');
    assert.ok(paused.family.every(({ run }) => run.leaseOwner === undefined));
    assert.equal(paused.deployments.at(-1)?.state, 'live', 'the service goes on');

    const resumed = await place.forge('resume', rootId, '--json');
    assert.equal(resumed.code, 0, resumed.errors);
    const { family, deployments } = await readRecord(place);
    assert.deepEqual(
      deployments.map(({ state, verified }) => [state, verified]),
      [
        ['replaced', true],
        ['rolled_back', false],
        ['live', true],
      ],
    );
    for (const { run, events } of family) {
      const failed = events.filter(
        (event) => event.type === 'tool.finished' && event.outcome !== 'ok',
      );
      assert.deepEqual(failed, [], `${run.agent}: no tool noticed`);
    }
  });

  it('pressed twice, cancels it', async (t) => {
    const place = new DemoPlace();
    t.after(() => place.remove());
    const forge = place.start('demo', '--json', '--delay', '0', '--folder', place.folder);
    const { rootId } = await forge.told(checksBegin);
    forge.signal('SIGINT');
    await forge.told(({ event }) => event.type === 'run.paused');
    forge.signal('SIGINT');
    const { code, errors } = await forge.ended;
    assert.equal(code, 130, errors);
    const { family } = await readRecord(place);
    assert.equal(family[0]?.run.id, rootId);
    assert.equal(family[0]?.run.state, 'cancelled');
    assert.deepEqual(place.git('status', '--porcelain'), []);
    assert.deepEqual(place.git('for-each-ref', '--format=%(refname:short)', 'refs/heads'), [
      'main',
    ]);
    const resumed = await place.forge('resume', rootId);
    assert.equal(resumed.code, 1);
    assert.match(resumed.errors, /has ended \(cancelled\)/);
  });
});
