import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { readBatch, readRaw } from './read-look.ts';

const hash = (text: string | Uint8Array) => createHash('sha1').update(text).digest('hex');
const none = '0'.repeat(40);

describe('a list of changes from git', () => {
  it('is read with names of any bytes', () => {
    const change = fc.record({
      path: fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((bytes) => Buffer.from(bytes.map((byte) => byte || 1))),
      mode: fc.constantFrom('100644', '100755', '120000', '000000'),
      object: fc.string().map(hash),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const raw = Buffer.concat(
          changes.flatMap(({ path, mode, object }) => [
            Buffer.from(`:100644 ${mode} ${none} ${object} M\0`),
            path,
            Buffer.of(0),
          ]),
        );
        assert.deepEqual(
          readRaw(raw, 1_000),
          changes.map((change) => ({ ...change })),
        );
      }),
    );
  });

  it('is refused where it is none, or holds what is no file', () => {
    const lines = [
      `:100644 040000 ${none} ${none} M\0a\0`,
      `:100644 160000 ${none} ${none} M\0a\0`,
      `:100644 100644 ${none} ${none} M\0\0`,
      `:100644 100644 ${none} short M\0a\0`,
      `:100644 100644 ${none} ${none} M\0a`,
      'nonsense',
    ];
    for (const line of lines) {
      assert.throws(
        () => readRaw(Buffer.from(line), 10),
        (error) => ForgeError.is(error, 'tool_failed'),
        line,
      );
    }
    const many = `:100644 100644 ${none} ${none} M\0a\0`.repeat(11);
    assert.throws(
      () => readRaw(Buffer.from(many), 10),
      (error) => ForgeError.is(error, 'too_large') && /More than 10 files/.test(error.message),
    );
  });

  it('throws nothing but our errors, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const read of [(b: Buffer) => readRaw(b, 10), readBatch]) {
          try {
            read(Buffer.from(bytes));
          } catch (error) {
            assert.ok(ForgeError.is(error));
          }
        }
      }),
    );
  });
});

describe('contents from git', () => {
  it('are read whatever is in them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uint8Array({ maxLength: 100 }), { selector: hash }), (all) => {
        const batch = Buffer.concat(
          all.flatMap((bytes) => [
            Buffer.from(`${hash(bytes)} blob ${bytes.length}\n`),
            bytes,
            Buffer.from('\n'),
          ]),
        );
        const read = readBatch(batch);
        assert.equal(read.size, all.length);
        for (const bytes of all) assert.deepEqual(read.get(hash(bytes)), Buffer.from(bytes));
      }),
    );
  });

  it('are refused where one is missing or cut', () => {
    for (const text of [`${none} missing\n`, `${none} blob 5\nabc`, `${none} tree 1\na\n`]) {
      assert.throws(
        () => readBatch(Buffer.from(text)),
        (error) => ForgeError.is(error, 'tool_failed'),
        text,
      );
    }
  });
});
