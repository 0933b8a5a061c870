import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fateOf } from '@forge/sandbox/owner';
import { logTail } from '../files/log-tail.ts';
import { askKeeper, askRunningKeeper } from './ask-keeper.ts';
import { Keeper } from './keeper.ts';
import { keeperFiles, readKeeperState } from './keeper-state.ts';
import { serveControl } from './serve-control.ts';
import { stopKeeper } from './stop-keeper.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-control-'));
after(() => rmSync(root, { recursive: true, force: true }));
const never = new AbortController().signal;

async function say(path: string, text: string): Promise<string> {
  const connection = connect(path);
  connection.write(text);
  let answer = '';
  for await (const chunk of connection) answer += chunk;
  return answer;
}

async function until<Value>(what: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await what();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the control of a keeper', { timeout: 600_000 }, () => {
  it('answers what it does not understand, and ends when there is nothing to keep', async () => {
    const folder = join(root, 'a');
    mkdirSync(folder);
    const keeper = new Keeper(folder);
    const serving = serveControl({ folder, keeper, signal: never, idleMs: 3_000 });
    const { socket } = keeperFiles(folder);
    await until(() => askRunningKeeper(folder, { op: 'status' }, { signal: never }));
    for (const nonsense of ['not json', '{"op":"explode"}', '{"op":"build"}', '[]', '']) {
      assert.match(await say(socket, `${nonsense}\n`), /^{"failed":{"code":"deploy_failed"/);
    }
    assert.equal(await say(socket, '{"op":"status"}\n'), '{"done":{"restarts":0}}\n');
    await serving;
    assert.equal(await askRunningKeeper(folder, { op: 'status' }, { signal: never }), undefined);
    await keeper.close();
  });

  it('keeps little for a caller who does not read what a build prints', async () => {
    const folder = join(root, 'c');
    mkdirSync(folder);
    const keeper = new Keeper(folder);
    const stop = new AbortController();
    const serving = serveControl({ folder, keeper, signal: stop.signal });
    await until(() => askRunningKeeper(folder, { op: 'status' }, { signal: never }));
    const connection = connect(keeperFiles(folder).socket);
    const line = 'x'.repeat(99);
    const order = {
      ...{ op: 'build', release: 'v1', cwd: folder, env: { PATH: '/usr/bin:/bin' } },
      command: ['/bin/sh', '-c', `yes ${line} | head -c 20000000; echo the last`],
      timeoutMs: 60_000,
    };
    connection.write(`${JSON.stringify(order)}\n`);
    const { releaseLog } = keeperFiles(folder);
    await until(async () => (logTail(releaseLog('v1'), 1)[0] === 'the last' ? true : undefined));
    let bytes = 0;
    let end = '';
    for await (const chunk of connection) {
      bytes += chunk.length;
      end = `${end}${chunk}`.slice(-200);
    }
    assert.ok(bytes < 5_000_000, `${bytes} bytes were kept for it`);
    assert.match(end, /{"done":{}}\n$/);
    stop.abort();
    await serving;
    await keeper.close();
  });

  it('is asked again until one that dies is gone, and the next one is there', async () => {
    const folder = join(root, 'e');
    mkdirSync(folder);
    // The socket of a killed process may take one connection more before the system closes it.
    let taken = 0;
    const dying = createServer((connection) => {
      taken += 1;
      connection.destroy();
      if (taken === 2) dying.close();
    });
    dying.listen(keeperFiles(folder).socket);
    const answer = await askKeeper(folder, { op: 'status' }, { signal: never });
    assert.deepEqual([taken, answer], [2, { restarts: 0 }]);
    await stopKeeper({ folder, signal: never });
  });

  it('says what to do when it is asked by another version', async () => {
    const folder = join(root, 'd');
    await askKeeper(folder, { op: 'status' }, { signal: never });
    const said = await say(keeperFiles(folder).socket, '{"op":"explode"}\n');
    const { keeper } = readKeeperState(folder) ?? {};
    assert.match(said, new RegExp(`by another version of Forge.*kill -9 ${keeper?.pid}`));
    await stopKeeper({ folder, signal: never });
  });

  it('starts one keeper for all who ask at once', async () => {
    const folder = join(root, 'b');
    const ask = () => askKeeper(folder, { op: 'status' }, { signal: never });
    await Promise.all([ask(), ask(), ask()]);
    const { keeper } = readKeeperState(folder) ?? {};
    assert.ok(keeper);
    await ask();
    assert.deepEqual(readKeeperState(folder)?.keeper, keeper);
    await stopKeeper({ folder, signal: never });
    assert.equal(fateOf(keeper), 'dead');
  });
});
