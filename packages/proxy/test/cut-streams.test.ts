import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wires } from '@forge/models';
import { callsIn, readAnswer, textIn } from './hostile/answer.ts';
import { answeredStream, calledStream } from './hostile/chat.ts';
import { minimal } from './hostile/minimal.ts';
import { streamed } from './hostile/odd-backend.ts';
import { RawConnection } from './hostile/raw-connection.ts';
import { write } from './hostile/row.ts';
import { assertUnharmed, openStage, type Stage } from './hostile/stage.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

const streams = { 'a call': calledStream, 'an answer': answeredStream };

for (const [what, frames] of Object.entries(streams)) {
  for (const name of ['openai-chat', 'anthropic-messages'] as const) {
    test(`a stream of ${what} to ${name}, cut at every byte`, { timeout: 600_000 }, async () => {
      const { backend, patient } = stage;
      const bytes = Buffer.from(frames.join(''));
      const finished = bytes.indexOf('"finish_reason":"');
      const request = write({ body: { ...minimal[name], stream: true } }, name);
      const connection = await RawConnection.open(patient.port);
      for (let cut = 0; cut <= bytes.length; cut++) {
        backend.play(streamed([bytes.subarray(0, cut)]));
        connection.send(request);
        const answer = readAnswer(wires[name], await connection.response());
        const where = `cut at ${cut} of ${bytes.length}: ${answer.body}`;
        assert.ok(answer.isWhole, where);
        // What is cut before it said that it was finished never looks finished.
        if (cut < finished) assert.ok(answer.error, where);
        if (answer.reply === undefined) continue;
        if (frames === calledStream) {
          assert.deepEqual(callsIn(answer.reply)[0]?.args, { city: 'Oslo' }, where);
        } else assert.equal(textIn(answer.reply), 'It is fine.', where);
      }
      connection.close();
      await assertUnharmed(patient, backend);
    });
  }
}
