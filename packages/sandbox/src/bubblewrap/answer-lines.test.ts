import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { answerLines } from './answer-lines.ts';

async function read(chunks: readonly string[]): Promise<{ lines: string[]; nonsense: number }> {
  const lines: string[] = [];
  let nonsense = 0;
  const input = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  for await (const line of answerLines(input, () => void nonsense++)) lines.push(line);
  return { lines, nonsense };
}

describe('the lines of the first process', () => {
  it('are put together from pieces', async () => {
    const { lines, nonsense } = await read(['rea', 'dy\ndoor1\ndo', 'or2\n', 'cut']);
    assert.deepEqual(lines, ['ready', 'door1', 'door2']);
    assert.equal(nonsense, 0);
  });

  it('end at a line that is longer than any answer', async () => {
    for (const long of ['x'.repeat(101), `${'x'.repeat(101)}\n`]) {
      assert.deepEqual(await read(['ready\n', long, 'door1\n']), { lines: ['ready'], nonsense: 1 });
    }
  });

  it('end when the stream breaks', async () => {
    const broken = new Readable({ read() {} });
    broken.push('ready\n');
    setImmediate(() => broken.destroy(new Error('gone')));
    for await (const line of answerLines(broken, () => assert.fail('nonsense'))) {
      assert.equal(line, 'ready');
    }
  });
});
