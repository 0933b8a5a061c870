import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { peekRequest } from './peek-request.ts';

const wanted = new Set(['model', 'stream', 'tools']);

function peek(text: string) {
  return peekRequest(Buffer.from(text), wanted);
}

type Entry = readonly [key: string, value: unknown];

/** JSON text of an object, with keys as often as given, and spaces and escapes where JSON allows them. */
function spell(entries: readonly Entry[], how: { space: string; escapes: boolean }): string {
  const { space, escapes } = how;
  const spelled = entries.map(([key, value]) => {
    const name = escapes ? escapeAll(key) : JSON.stringify(key);
    return `${space}${name}${space}:${space}${JSON.stringify(value, null, space)}${space}`;
  });
  return `${space}{${spelled.join(',') || space}}${space}`;
}

function escapeAll(text: string): string {
  const unit = (at: number) => text.charCodeAt(at).toString(16).padStart(4, '0');
  return `"${Array.from({ length: text.length }, (_, at) => `\\u${unit(at)}`).join('')}"`;
}

describe('peekRequest', () => {
  it('finds the values of the keys it was asked for', () => {
    const text = '{ "model" : "a\\"b", "n":1, "tools":[{"model":"no"}, "]"], "stream":true }';
    const found = peek(text);
    assert.equal(found?.value('model'), 'a"b');
    assert.deepEqual(found?.value('tools'), [{ model: 'no' }, ']']);
    assert.equal(found?.value('stream'), true);
    assert.deepEqual(found?.span('tools'), [text.indexOf('['), text.lastIndexOf(']') + 1]);
    assert.equal(found?.span('n'), undefined);
    assert.equal(found?.value('n'), undefined);
  });

  it('knows a key however it is written, and takes the last of two', () => {
    assert.equal(peek('{"m\\u006fdel":1}')?.value('model'), 1);
    assert.equal(peek('{"model":1,"m\\u006fdel":{"a":2},"stream":3}')?.span('model')?.[0], 24);
    assert.equal(peek('{"model":1,"model":2}')?.value('model'), 2);
    assert.equal(peek('{"models":1,"mode":2,"\\model":3}')?.span('model'), undefined);
  });

  it('takes a byte order mark and white space around the object', () => {
    assert.equal(peek('\uFEFF \r\n\t{"model":1} \n')?.value('model'), 1);
    assert.equal(peek(' { } ')?.span('model'), undefined);
    assert.notEqual(peek(' { } '), undefined);
  });

  it('gives nothing for what is no whole object', () => {
    const broken = [
      ...[
        '',
        ' ',
        '\uFEFF',
        'null',
        '[]',
        '"model"',
        '{',
        '{"',
        '{"model',
        '{"model"',
        '{"model":',
      ],
      ...[
        '{"model":1',
        '{"model":"1}',
        '{"model":[1}',
        '{"model":1]',
        '{"model":1,',
        '{"model":1,}',
      ],
      ...[
        '{,"model":1}',
        '{"model" 1}',
        '{"model":}',
        '{model:1}',
        '{"model":1} x',
        '{"model":1}}',
      ],
      ...['{"model":1 "stream":2}', '{"model":"a"b}', '{"model":tru"e"}', '{"model":"\\"}', '{]'],
    ];
    for (const text of broken) assert.equal(peek(text), undefined, text);
  });

  it('has no value where the bytes in the span are no JSON', () => {
    const found = peek('{"model":nope,"tools":[1,,],"stream":"\\x"}');
    assert.deepEqual(found?.span('model'), [9, 13]);
    for (const key of wanted) assert.equal(found?.value(key), undefined);
  });

  it('works on bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"x":"'),
      Buffer.from([0xff, 0xc3, 0xe2, 0x82]),
      Buffer.from('","model":"'),
      Buffer.from([0xf0]),
      Buffer.from('","'),
      Buffer.from([0xff]),
      Buffer.from('":[],"stream":1}'),
    ]);
    const found = peekRequest(bytes, wanted);
    assert.equal(found?.value('model'), '\uFFFD');
    assert.equal(found?.value('stream'), 1);
  });

  it('passes over a value that is already known', () => {
    const asked: string[] = [];
    const bytes = Buffer.from('{"a":0,"tools":[1,2],"stream":true}');
    const found = peekRequest(bytes, wanted, (key, start) => {
      asked.push(key);
      return key === 'tools' ? start + 5 : undefined;
    });
    assert.deepEqual(asked, ['tools', 'stream']);
    assert.deepEqual(found?.value('tools'), [1, 2]);
    assert.equal(found?.value('stream'), true);
    assert.equal(peekRequest(bytes, wanted, (_, start) => start)?.value('stream'), true);
    assert.equal(
      peekRequest(bytes, wanted, () => 1_000),
      undefined,
    );
  });

  it('gets through megabytes of anything', () => {
    const size = 1_000_000;
    const inner = ['\\\\', '\\"', '\\', '\\\\\\"', 'x', '"', '[', '{"a":', '}', '{"model":1,'];
    for (const piece of inner) {
      const long = piece.repeat(size / piece.length);
      peek(`{"a":"${long}","model":1}`);
      peek(`{"${long}":1}`);
      peek(`{"a":${long}`);
      peek(long);
    }
    const text = `{"a":"${'\\\\'.repeat(size)}","b":"${'\\"'.repeat(size)}","model":1}`;
    assert.equal(peek(text)?.value('model'), 1);
    const deep = `{"a":${'['.repeat(size)}${']'.repeat(size)},"model":1}`;
    assert.equal(peek(deep)?.value('model'), 1);
  });

  // The text is the measure: JSON.parse of Node 24 takes an escaped key for one that begins with a
  // backslash, where an object of that shape was read before.
  it('finds the very text of the last value of every key', () => {
    const key = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('tools', '\\', '"', '__proto__', '\ud800', '\ufffd'),
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary', minLength: 40, maxLength: 90 }),
      fc.constantFrom('\\'.repeat(70), '"'.repeat(70), `${'x'.repeat(70)}\\`),
    );
    const how = fc.record({
      space: fc.constantFrom('', ' ', '\t', '\r\n'),
      escapes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value)), how, fc.array(key), (entries, spelling, more) => {
        const bytes = Buffer.from(spell(entries, spelling));
        const last = new Map<string, unknown>(entries);
        const keys = new Set([...last.keys(), ...more]);
        const found = peekRequest(bytes, keys);
        assert.ok(found !== undefined);
        for (const each of keys) {
          const span: readonly [number, number] | undefined = found.span(each);
          const text: string | undefined = span && bytes.toString('utf8', ...span);
          const expected = last.has(each)
            ? JSON.stringify(last.get(each), null, spelling.space)
            : undefined;
          assert.equal(text, expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on bytes that were cut, changed or made up', () => {
    const text = '{"model":"a\\"b\\\\","n":[1,{"x":"]"}],"tools":[],"stream":true}';
    const changes = fc.array(fc.tuple(fc.nat(text.length - 1), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(changes, fc.nat(text.length), (changed, cut) => {
        const bytes = Buffer.from(text);
        for (const [at, byte] of changed) bytes[at] = byte;
        for (const each of [bytes, bytes.subarray(0, cut), bytes.subarray(cut)]) {
          const found = peekRequest(each, wanted);
          for (const key of wanted) found?.value(key);
        }
      }),
      { numRuns: 2_000 },
    );
    const made = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(fc.constantFrom(...Buffer.from('{}[]":,\\ tm1')), { maxLength: 40 }),
    );
    fc.assert(
      fc.property(made, (bytes) => void peekRequest(Buffer.from([0x7b, ...bytes]), wanted)),
      { numRuns: 2_000 },
    );
  });

  it('refuses nothing that JSON.parse reads as an object', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"model"',
      '"a"',
      ':',
      ',',
      '1',
      'true',
      ' ',
      '"\\\\"',
      '{}',
      '[]',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = `{"tools":1${parts.join('')}}`;
        let whole: unknown;
        try {
          whole = JSON.parse(text);
        } catch {
          return;
        }
        assert.deepEqual(
          Object.fromEntries(
            Object.keys(whole ?? {}).map((key) => [
              key,
              peekRequest(Buffer.from(text), new Set([key]))?.value(key),
            ]),
          ),
          whole,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
