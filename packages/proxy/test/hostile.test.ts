import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { wires } from '@forge/models';
import { type Answer, readAnswer } from './hostile/answer.ts';
import { bodyRows } from './hostile/body-rows.ts';
import { httpRows } from './hostile/http-rows.ts';
import { RawConnection } from './hostile/raw-connection.ts';
import type { Row } from './hostile/row.ts';
import { ask, assertUnharmed, openStage, type Stage } from './hostile/stage.ts';
import { streamRows } from './hostile/stream-rows.ts';
import { wholeReplyRows } from './hostile/whole-reply-rows.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

async function answerTo(row: Row): Promise<Answer | undefined> {
  const proxy = row.impatient ? stage.impatient : stage.patient;
  if (typeof row.send !== 'function') return ask(proxy, row.send, row.wire);
  const connection = await RawConnection.open(proxy.port);
  try {
    const response = await row.send(connection, stage.backend);
    return response && readAnswer(wires[row.wire ?? 'openai-chat'], response);
  } finally {
    connection.close();
  }
}

async function run(row: Row): Promise<void> {
  const { backend, bugs } = stage;
  bugs.length = 0;
  backend.play(...(row.backend === undefined ? [] : [row.backend].flat()));
  const answer = await answerTo(row);
  try {
    if (answer !== undefined) {
      const right = [row.status].flat();
      assert.ok(right.includes(answer.status), `${answer.status}: ${answer.body.subarray(0, 500)}`);
      if (row.is === 'reply') assert.ok(answer.reply, `${answer.body.subarray(-500)}`);
      if (row.is === 'error') assert.ok(answer.error, `${answer.body.subarray(-500)}`);
      row.check?.(answer);
    }
    assert.deepEqual(bugs, [], 'nothing of ours failed');
  } finally {
    await assertUnharmed(row.impatient ? stage.impatient : stage.patient, backend);
  }
}

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'on the line': httpRows,
  'in a request': bodyRows,
  'in a whole reply': wholeReplyRows,
  'in a stream': streamRows,
};

for (const [where, rows] of Object.entries(tables)) {
  describe(where, () => {
    for (const [name, row] of Object.entries(rows))
      test(name, { timeout: 600_000 }, () => run(row));
  });
}
