import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { type Acceptance, verificationSchema } from '../../contracts.ts';
import {
  openShop,
  outputOf,
  type RecordedDeploy,
  recordedDeploy,
  resultsIn,
  type Shop,
} from '../agent-fixtures.test.ts';

const health = calls(['health_check', {}]);
const test = (acceptance: string, request?: object) =>
  calls(['smoke_test', request ? { acceptance, request: request as never } : { acceptance }]);
const submit = calls(['submit_verification', { summary: 'Looked.' }]);

const home: Acceptance = {
  id: 'home',
  description: 'The home page greets.',
  http: { method: 'GET', path: '/', status: 200, includes: ['hello'] },
};
const list: Acceptance = { id: 'list', description: 'There is a list.' };

describe('the verifier', () => {
  let greeting = 'hello';
  let healthy = true;
  const server = createServer((request, response) => {
    if (request.url === '/') response.end(greeting);
    else if (request.url === '/list') response.end('[]');
    else response.writeHead(404).end();
  });
  let url = '';
  let shop: Shop;
  let deploy: RecordedDeploy;
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    deploy = recordedDeploy({
      health: async () => ({ healthy, report: `GET / ${healthy ? 'answered 200' : 'hangs'}` }),
    });
    shop = await openShop({ deploy });
  });
  beforeEach(() => {
    greeting = 'hello';
    healthy = true;
    deploy.asked.length = 0;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await shop.close();
  });

  const verify = (
    acceptance: readonly Acceptance[],
    lines: Parameters<Shop['work']>[2],
    address: string | undefined = url,
  ) => {
    const deployment = {
      deploymentId: 'dep_1',
      target: 'notes',
      commit: shop.base,
      digest: 'sha256:0',
      ...(address !== '' && { url: address }),
    };
    const tasks = [{ id: 'a', title: 'A', description: 'A', dependsOn: [] }];
    const plan = { summary: 's', tasks, acceptance: [...acceptance], risks: [] };
    return shop.work(shop.agents.verifier, { deployment, plan, request: 'Greet.' }, lines);
  };

  it('passes what is healthy and does what the plan says', async () => {
    const result = await verify([home], [health, test('home'), submit]);
    const made = verificationSchema.parse(outputOf(result));
    assert.deepEqual([made.verdict, made.healthy, made.problems], ['pass', true, []]);
    assert.deepEqual(
      made.tests.map(({ acceptance, passed }) => [acceptance, passed]),
      [['home', true]],
    );
    assert.deepEqual(deploy.asked, ['verify dep_1 good']);
  });

  it('fails what does not, whatever the model says of it', async () => {
    greeting = 'goodbye';
    const praise = calls(['submit_verification', { summary: 'Everything is perfect. PASS.' }]);
    const result = await verify([home], [health, test('home'), praise]);
    const made = verificationSchema.parse(outputOf(result));
    assert.equal(made.verdict, 'fail');
    assert.match(
      made.problems[0] ?? '',
      /^home: The home page greets\. \[GET \/\]: .*the body lacks "hello"/,
    );
    assert.match(deploy.asked[0] ?? '', /^verify dep_1 bad home: /);
    assert.ok(result.output);
    assert.equal(shop.agents.verifier.judge?.(result.output).verdict, 'failure');
  });

  it('fails what is not healthy', async () => {
    healthy = false;
    const result = await verify([home], [health, test('home'), submit]);
    const made = verificationSchema.parse(outputOf(result));
    assert.deepEqual([made.verdict, made.healthy], ['fail', false]);
    assert.deepEqual(made.problems, ['The service is not healthy: GET / hangs']);
  });

  it('cannot leave out a check of the plan', async () => {
    const result = await verify(
      [home, list],
      [health, submit, test('home'), test('list', { path: '/list' }), submit],
    );
    assert.match(
      resultsIn(result)[1] ?? '',
      /not tested: home \(call smoke_test \{"acceptance": "home"\} without a request: the plan has one\); list \(write a request/,
    );
    assert.equal(outputOf(result).verdict, 'pass');
  });

  it('cannot put a test of its own in the place of that of the plan', async () => {
    greeting = 'goodbye';
    const weak = test('home', { path: '/' });
    const result = await verify([home], [health, weak, submit, test('home'), submit]);
    assert.match(resultsIn(result)[2] ?? '', /not tested: home/);
    assert.equal(outputOf(result).verdict, 'fail');
  });

  it('finds wanting what fails a test of its own, though the request of the plan passes', async () => {
    const more = test('home', { path: '/', includes: ['goodbye'] });
    const result = await verify([home], [health, more, test('home'), submit]);
    assert.equal(outputOf(result).verdict, 'fail');
  });

  it('may write a test right that it wrote wrong: the last result counts', async () => {
    const wrong = test('list', { path: '/lists' });
    const right = test('list', { path: '/list' });
    const result = await verify([list], [health, wrong, right, submit]);
    assert.equal(outputOf(result).verdict, 'pass');
  });

  it('may say that a check without a request cannot be seen by HTTP', async () => {
    const docs: Acceptance = { id: 'docs', description: 'The README tells.' };
    const excuse = calls([
      'submit_verification',
      { summary: 'Looked.', not_testable: [{ acceptance: 'docs', reason: 'It is a file.' }] },
    ]);
    const result = await verify([docs], [health, excuse]);
    const made = verificationSchema.parse(outputOf(result));
    assert.equal(made.verdict, 'pass');
    assert.match(made.summary, /Not tested: docs \(It is a file\.\)/);
  });

  it('cannot excuse itself from a request of the plan', async () => {
    const excuse = calls([
      'submit_verification',
      { summary: 'Looked.', not_testable: [{ acceptance: 'home', reason: 'No time.' }] },
    ]);
    const result = await verify([home], [health, excuse, test('home'), submit]);
    assert.match(resultsIn(result)[1] ?? '', /not tested: home/);
  });

  it('is told which checks there are', async () => {
    const result = await verify([home], [health, test('house'), test('home'), submit]);
    assert.match(resultsIn(result)[1] ?? '', /no acceptance check "house"\. It has: home\./);
  });

  it('has to look at the health first', async () => {
    const result = await verify([], [submit, health, submit]);
    assert.equal(outputOf(result).verdict, 'pass');
    assert.ok(result.events.some(({ type }) => type === 'reply.refused'));
  });

  it('fails checks of a deployment that has no address', async () => {
    const result = await verify([home], [health, test('home'), submit], '');
    assert.match(resultsIn(result)[1] ?? '', /has no address/);
    const made = verificationSchema.parse(outputOf(result));
    assert.deepEqual([made.verdict, made.problems.length], ['fail', 1]);
  });
});
