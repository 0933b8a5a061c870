import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ModelError } from '../wire/model-error.ts';
import type { Frame } from '../wire/wire.ts';
import { encodeSse } from './encode-sse.ts';
import { createSseDecoder } from './sse-decoder.ts';

const utf8 = new TextEncoder();

function decode(bytes: Uint8Array, cuts: readonly number[] = []): Frame[] {
  const decoder = createSseDecoder();
  const frames: Frame[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    frames.push(...decoder.push(bytes.subarray(from, cut)));
    from = cut;
  }
  frames.push(...decoder.end());
  assert.equal(decoder.held, 0);
  return frames;
}

const cases: Record<string, { bytes: string; frames: Frame[] }> = {
  'one event': { bytes: 'data: hi\n\n', frames: [{ data: 'hi' }] },
  'a named event': { bytes: 'event: ping\ndata: {}\n\n', frames: [{ event: 'ping', data: '{}' }] },
  'several lines of data': {
    bytes: 'data: a\ndata:b\ndata:  c\n\n',
    frames: [{ data: 'a\nb\n c' }],
  },
  'CRLF, CR and LF': {
    bytes: 'data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\r\n\n',
    frames: [{ data: 'a' }, { data: 'b' }, { data: 'c' }, { data: 'd' }],
  },
  'a byte order mark at the start, and only there': {
    bytes: '\ufeffdata: a\n\n\ufeffdata: b\n\n',
    frames: [{ data: 'a' }],
  },
  'comments and unknown fields': {
    bytes: ': OPENROUTER PROCESSING\n\n:\nfoo: bar\nid: 7\nretry: 10\ndata: x\n\n',
    frames: [{ data: 'x' }],
  },
  'empty data and fields without a colon': {
    bytes: 'data\n\ndata:\ndata\n\n\n\nevent\ndata: z\n\n',
    frames: [{ data: '' }, { data: '\n' }, { data: 'z' }],
  },
  'an event without data is none, and its name is forgotten': {
    bytes: 'event: lost\n\ndata: x\n\n',
    frames: [{ data: 'x' }],
  },
  'the last event without its blank line': {
    bytes: 'data: a\n\ndata: [DONE]',
    frames: [{ data: 'a' }, { data: '[DONE]' }],
  },
  'characters of two to four bytes': {
    bytes: 'data: é€😀\n\ndata: 日本\r\n\r\n',
    frames: [{ data: 'é€😀' }, { data: '日本' }],
  },
  nothing: { bytes: '', frames: [] },
};

for (const [name, { bytes, frames }] of Object.entries(cases)) {
  test(`reads ${name}, cut anywhere`, () => {
    const all = utf8.encode(bytes);
    assert.deepEqual(decode(all), frames);
    for (let cut = 0; cut <= all.length; cut++) assert.deepEqual(decode(all, [cut]), frames);
    const everyByte = Array.from(all, (_, index) => index);
    assert.deepEqual(decode(all, everyByte), frames);
  });
}

test('gives an event with the bytes that complete it, also after a bare CR', () => {
  const decoder = createSseDecoder();
  assert.deepEqual(decoder.push(utf8.encode('data: a\n')), []);
  assert.deepEqual(decoder.push(utf8.encode('\n')), [{ data: 'a' }]);
  assert.deepEqual(decoder.push(utf8.encode('data: b\r\r')), [{ data: 'b' }]);
  assert.deepEqual(decoder.push(utf8.encode('\ndata: c\r\n\r')), [{ data: 'c' }]);
  assert.deepEqual(decoder.push(utf8.encode('\n')), []);
});

test('replaces bytes that are not UTF-8 instead of failing', () => {
  const bytes = Uint8Array.of(...utf8.encode('data: '), 0xff, 0x0a, 0x0a);
  assert.deepEqual(decode(bytes), [{ data: '\ufffd' }]);
  const cut = Uint8Array.of(...utf8.encode('data: x'), 0xe2, 0x82);
  assert.deepEqual(decode(cut), [{ data: 'x\ufffd' }]);
});

test('refuses a line that outgrows the limit, and everything after it', () => {
  const decoder = createSseDecoder({ limit: 100 });
  const piece = utf8.encode('x'.repeat(60));
  decoder.push(piece);
  const tooLong = (error: unknown) => error instanceof ModelError && error.kind === 'bad_response';
  assert.throws(() => decoder.push(piece), tooLong);
  assert.throws(() => decoder.push(piece), tooLong);
  assert.throws(() => decoder.end(), tooLong);
});

test('refuses an event of many lines that outgrows the limit', () => {
  const decoder = createSseDecoder({ limit: 100 });
  const line = utf8.encode(`data: ${'x'.repeat(40)}\n`);
  decoder.push(line);
  decoder.push(line);
  assert.throws(() => decoder.push(line), ModelError);
  assert.throws(() => decoder.push(utf8.encode('\n')), ModelError);
});

test('refuses a whole line past the limit that came in one piece', () => {
  const decoder = createSseDecoder({ limit: 100 });
  assert.throws(() => decoder.push(utf8.encode(`data: ${'x'.repeat(200)}\n\n`)), ModelError);
  assert.throws(() => decoder.push(utf8.encode('data: x\n\n')), ModelError);
  assert.equal(decoder.held, 0);
});

test('holds no more at the end of 100 MB than at the start', () => {
  const decoder = createSseDecoder();
  // 65,521 is prime to the size of an event, so the cuts fall everywhere in it.
  const event = utf8.encode(
    `data: {"choices":[{"delta":{"content":"${'wort '.repeat(40)}"}}]}\n\n`,
  );
  const stream = new Uint8Array(event.length + 65_521);
  for (let at = 0; at < stream.length; at++) stream[at] = event[at % event.length] ?? 0;
  let bytes = 0;
  let frames = 0;
  let mostHeld = 0;
  while (bytes < 100_000_000) {
    const offset = bytes % event.length;
    frames += decoder.push(stream.subarray(offset, offset + 65_521)).length;
    bytes += 65_521;
    mostHeld = Math.max(mostHeld, decoder.held);
  }
  assert.equal(frames, Math.floor(bytes / event.length));
  assert.ok(mostHeld <= event.length, `held ${mostHeld}`);
});

test('reads back what the encoder wrote', () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/\r\n?/g, '\n'));
  const name = fc
    .string({ minLength: 1, unit: 'binary' })
    .filter((text) => !/^ |[\r\n]/.test(text));
  const frame = fc.oneof(fc.record({ data: line }), fc.record({ event: name, data: line }));
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.nat(200)), (frames, cuts) => {
      // Lone surrogates cannot be said in UTF-8.
      const meant = frames.map((one) =>
        JSON.parse(JSON.stringify(one).replace(/\\ud[89a-f]../g, '?')),
      );
      const bytes = utf8.encode(meant.map(encodeSse).join(''));
      const sorted = [...cuts].sort((a, b) => a - b).filter((cut) => cut <= bytes.length);
      assert.deepEqual(decode(bytes, sorted), meant);
    }),
  );
});
