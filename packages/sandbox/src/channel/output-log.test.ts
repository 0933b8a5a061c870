import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OutputChunk } from '../sandbox.ts';
import { OutputLog } from './output-log.ts';

const stream = fc.constantFrom<OutputChunk['stream']>('stdout', 'stderr');

test('keeps the first bytes in order, counts the rest, and shows a reader the same', async () => {
  const writes = fc.array(fc.tuple(stream, fc.uint8Array({ maxLength: 20 })));
  await fc.assert(
    fc.asyncProperty(writes, fc.nat(200), async (written, limit) => {
      const log = new OutputLog(limit);
      const seen: { stream: string; byte: number }[] = [];
      const reading = (async () => {
        for await (const { stream, bytes } of log) {
          for (const byte of bytes) seen.push({ stream, byte });
        }
      })();
      for (const [index, [stream, bytes]] of written.entries()) {
        log.append(stream, bytes);
        if (index % 3 === 0) await null;
      }
      log.finish();
      await reading;
      const all = written.flatMap(([stream, bytes]) =>
        [...bytes].map((byte) => ({ stream, byte })),
      );
      assert.deepEqual(seen, all.slice(0, limit));
      assert.equal(log.dropped, Math.max(0, all.length - limit));
      for (const stream of ['stdout', 'stderr'] as const) {
        const kept = all.slice(0, limit).filter((each) => each.stream === stream);
        assert.deepEqual(
          [...log.bytes(stream)],
          kept.map(({ byte }) => byte),
        );
      }
    }),
  );
});

test('keeps every byte of streams that take turns without end', async () => {
  const log = new OutputLog(400_000);
  for (let turn = 0; turn < 100_000; turn++) {
    log.append('stdout', Buffer.from('o'));
    log.append('stderr', Buffer.from('e'));
  }
  log.finish();
  const lengths = { stdout: 0, stderr: 0 };
  for await (const { stream, bytes } of log) lengths[stream] += bytes.length;
  assert.deepEqual(lengths, { stdout: 100_000, stderr: 100_000 });
});
