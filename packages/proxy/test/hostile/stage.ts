import assert from 'node:assert/strict';
import { type Wire, wires } from '@forge/models';
import { createProxy, type LimitOptions, type RunningProxy } from '../../src/index.ts';
import { type Answer, callsIn, readAnswer } from './answer.ts';
import { chat, usual } from './chat.ts';
import { type OddBackend, startOddBackend } from './odd-backend.ts';
import { RawConnection } from './raw-connection.ts';
import { type Request, write } from './row.ts';

/** Long enough for a machine with much else to do, short enough to wait for. */
const short = 400;

/** Where every wait is short and everything is small. */
const impatience: LimitOptions = {
  headersTimeout: short,
  bodyTimeout: short,
  writeTimeout: short,
  bodyBytes: 1_000_000,
  replyBytes: 1_000_000,
};

/** A backend that does as it is told, and two proxies in front of it that outlive every test. */
export interface Stage {
  readonly backend: OddBackend;
  readonly patient: RunningProxy;
  readonly impatient: RunningProxy;
  /** Failures of the proxies themselves, of which there should be none. */
  readonly bugs: unknown[];
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const backend = await startOddBackend(usual);
  const bugs: unknown[] = [];
  const onBug = (bug: unknown) => bugs.push(bug);
  const { url } = backend;
  const patient = await createProxy({ backend: { url }, port: 0, onBug });
  const impatient = await createProxy({
    backend: { url, timeout: short },
    port: 0,
    limits: impatience,
    onBug,
  });
  return {
    backend,
    patient,
    impatient,
    bugs,
    async close() {
      await Promise.all([patient.close({ grace: 0 }), impatient.close({ grace: 0 })]);
      await backend.close();
    },
  };
}

/** One request on a connection of its own, and its answer as the client reads it. */
export async function ask(
  { port }: RunningProxy,
  request: Request,
  wire: Wire['name'] = 'openai-chat',
): Promise<Answer> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(write(request, wire));
    return readAnswer(wires[wire], await connection.response());
  } finally {
    connection.close();
  }
}

/** Whatever happened before, the next request is answered and nothing is left over. */
export async function assertUnharmed(proxy: RunningProxy, backend: OddBackend): Promise<void> {
  backend.play();
  for (const stream of [false, true]) {
    const { status, reply } = await ask(proxy, { body: chat({ stream }) });
    assert.equal(status, 200, 'the next request works');
    assert.deepEqual(callsIn(reply)[0]?.args, { city: 'Oslo' });
  }
  await backend.untilIdle();
  assert.match(await healthOf(proxy), /"in_flight":0,"waiting":0/);
}

export async function healthOf({ url }: RunningProxy): Promise<string> {
  return (await fetch(`${url}/forge/health`)).text();
}
