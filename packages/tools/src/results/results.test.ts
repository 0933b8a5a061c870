import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ForgeError, performTool } from '@forge/core';
import fc from 'fast-check';
import { archiveInBlobs, type Blobs, createMemoryArchive } from './archive.ts';
import { createResults } from './create-results.ts';
import { cutMiddle } from './cut-middle.ts';
import { decodeText, looksBinary, wholeCharacters } from './decode-text.ts';
import { readResult } from './read-result.ts';

const context = {
  runId: 'r',
  callId: 'c',
  idempotencyKey: 'k',
  signal: new AbortController().signal,
};
const page = async (
  results: ReturnType<typeof createResults>,
  args: { id: string; offset?: number; limit?: number },
) => {
  const { outcome, content } = await performTool(readResult(results), args, context);
  const [first] = content;
  return { outcome, text: first?.type === 'text' ? first.text : '' };
};

describe('results', () => {
  it('are shown whole if they fit', async () => {
    assert.equal(await createResults().show({ content: 'as it is' }), 'as it is');
  });

  it('that are too long show both ends, and every byte can be read', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `${index} é😀`).join('\n');
    const results = createResults({ maxChars: 600 });
    const shown = await results.show({ content: lines });
    assert.match(
      shown,
      /^0 é😀\n.*\[\.\.\. \d+ bytes not shown \.\.\.\].*399 é😀\n\[The whole result has \d+ bytes\./s,
    );
    const [, id = ''] = /"id":"(\w+)"/.exec(shown) ?? [];
    let all = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { text } = await page(results, { id, offset });
      all += text.slice(text.indexOf('in it.\n') + 7, text.lastIndexOf('\n</untrusted'));
      const [, next] = /Read on with offset (\d+)/.exec(text) ?? [];
      offset = next === undefined ? undefined : Number(next);
    }
    assert.equal(all, lines);
  });

  it('that are not kept say so', async () => {
    const small = createResults({ maxChars: 10, archive: createMemoryArchive({ maxBytes: 20 }) });
    assert.match(await small.show({ content: 'x'.repeat(100) }), /could not be kept/);
    const { outcome, text } = await page(small, { id: 'nothing' });
    assert.equal(outcome, 'not_found');
    assert.match(text, /Call the tool again/);
  });

  it('end where they end', async () => {
    const results = createResults();
    const id = await results.archive.keep(Buffer.from('0123456789'));
    assert.match((await page(results, { id, offset: 10 })).text, /ends at byte 10/);
    assert.match((await page(results, { id, offset: 8 })).text, /\n89\n.*This is the end/s);
  });
});

function hashedBlobs(): Blobs {
  const kept = new Map<string, Uint8Array>();
  return {
    putBlob: async (bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      kept.set(hash, bytes);
      return hash;
    },
    blob: async (hash) => kept.get(hash),
  };
}

describe('archives', () => {
  it('in memory let go of what was used longest ago', async () => {
    let ids = 0;
    const archive = createMemoryArchive({ maxBytes: 10, newId: () => `r${++ids}` });
    const all = { offset: 0, limit: 10 };
    await archive.keep(new Uint8Array(5));
    await archive.keep(new Uint8Array(5));
    assert.ok(await archive.read('r1', all));
    await archive.keep(new Uint8Array(5));
    assert.equal(await archive.read('r2', all), undefined);
    assert.ok(await archive.read('r1', all));
    await assert.rejects(archive.keep(new Uint8Array(11)), (error) =>
      ForgeError.is(error, 'too_large'),
    );
  });

  it('in blobs read a part', async () => {
    const archive = archiveInBlobs(hashedBlobs());
    const id = await archive.keep(Buffer.from('abcdef'));
    const part = await archive.read(id, { offset: 2, limit: 2 });
    assert.deepEqual([Buffer.from(part?.bytes ?? []).toString(), part?.size], ['cd', 6]);
    assert.equal(await archive.read('other', { offset: 0, limit: 1 }), undefined);
  });

  it('in blobs have ids that knowing the content does not give, and read no other blobs', async () => {
    const blobs = hashedBlobs();
    const archive = archiveInBlobs(blobs);
    const bytes = Buffer.from('the same');
    const ids = new Set([await archive.keep(bytes), await archive.keep(bytes)]);
    assert.equal(ids.size, 2);
    const other = await blobs.putBlob(bytes);
    assert.ok(!ids.has(other));
    assert.equal(await archive.read(other, { offset: 0, limit: 8 }), undefined);
  });
});

describe('texts', () => {
  it('are told from bytes, by what they are', () => {
    assert.deepEqual(decodeText(Buffer.from('é')), {
      text: 'é',
      encoding: 'utf-8',
      damaged: false,
    });
    assert.equal(decodeText(Buffer.from([0x61, 0xff])).damaged, true);
    const wide = Buffer.from('\ufeffa', 'utf16le');
    assert.deepEqual(decodeText(wide), { text: '\ufeffa', encoding: 'utf-16le', damaged: false });
    assert.equal(looksBinary(wide), false);
    assert.equal(looksBinary(Buffer.from('a\0b')), true);
  });

  it('cut anywhere lose only what was cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.nat(),
        fc.nat(),
        (text, a, b) => {
          const bytes = Buffer.from(text);
          const [from, to] = [a % bytes.length, b % (bytes.length + 1)].sort((x, y) => x - y);
          const { text: cut, damaged } = decodeText(wholeCharacters(bytes.subarray(from, to)));
          assert.equal(damaged, false);
          assert.ok(text.includes(cut));
        },
      ),
    );
  });

  it('keep both ends, in at most the room there is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, room) => {
        const sound = text.toWellFormed();
        const cut = cutMiddle(sound, room);
        if (cut === undefined) return assert.ok(sound.length <= room);
        assert.ok(cut.head.length + cut.tail.length <= room + 1);
        assert.ok(sound.startsWith(cut.head) && sound.endsWith(cut.tail));
        assert.ok(cut.head.isWellFormed() && cut.tail.isWellFormed());
      }),
    );
  });
});
