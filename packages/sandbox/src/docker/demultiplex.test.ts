import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { demultiplex } from './demultiplex.ts';

function frame(stream: number, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

test('tells the streams apart wherever the connection is cut', async () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 })));
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 50 }), async (sent, size) => {
      const socket = new PassThrough();
      const { stdout, stderr } = demultiplex(socket);
      const read = Promise.all([buffer(stdout), buffer(stderr)]);
      const bytes = Buffer.concat(sent.map(([stream, content]) => frame(stream, content)));
      for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
      socket.end();
      const of = (wanted: number) =>
        Buffer.concat(sent.flatMap(([stream, content]) => (stream === wanted ? [content] : [])));
      const [out, err] = await read;
      assert.deepEqual(out, of(1));
      assert.deepEqual(err, of(2));
    }),
  );
});

test('holds the connection up while nobody reads, and goes on when somebody does', async () => {
  const socket = new PassThrough();
  const { stdout, stderr } = demultiplex(socket);
  stderr.resume();
  const piece = frame(1, Buffer.alloc(100_000, 'x'));
  const written = 50;
  for (let time = 0; time < written; time++) socket.write(piece);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(socket.isPaused());
  socket.end();
  assert.equal((await buffer(stdout)).length, written * 100_000);
});
