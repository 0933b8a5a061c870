import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { paxEntry, type RawEntry, tarBytes } from '../conformance/tar-bytes.ts';
import { readTar } from './read-tar.ts';
import { safeTar } from './safe-tar.ts';
import type { ArchiveLimits, TarEntry } from './tar-entry.ts';
import { writeTar } from './write-tar.ts';

type Plain = Omit<TarEntry, 'mtime'> & { readonly content: string };

async function readAll(chunks: Iterable<Uint8Array>, limits?: ArchiveLimits): Promise<Plain[]> {
  const found: Plain[] = [];
  for await (const { body, mtime: _, ...entry } of readTar(streamOf(chunks), limits)) {
    const parts: Uint8Array[] = [];
    for await (const bytes of body) parts.push(bytes);
    found.push({ ...entry, content: Buffer.concat(parts).toString('latin1') });
  }
  return found;
}

async function* streamOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function joined(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

const name = fc
  .array(
    fc.stringMatching(/^[\w ü🦊'"$\n-]{1,60}$/u).filter((part) => part.isWellFormed()),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('/'));

describe('tar', () => {
  it('reads what it wrote, however the stream is cut', async () => {
    const entries = fc.uniqueArray(
      fc.record({
        name,
        content: fc.string({ unit: 'binary-ascii', maxLength: 2000 }),
        mode: fc.integer({ min: 0, max: 0o777 }),
      }),
      // No file stands where another has its folder.
      {
        maxLength: 6,
        comparator: (a: string, b: string) =>
          a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`),
        selector: (entry) => entry.name,
      },
    );
    await fc.assert(
      fc.asyncProperty(entries, fc.integer({ min: 1, max: 3000 }), async (files, size) => {
        const bytes = await joined(
          writeTar(
            files.map(({ name, content, mode }) => {
              const body = [Buffer.from(content, 'latin1')];
              return {
                name,
                mode,
                type: 'file',
                link: '',
                size: content.length,
                mtime: 5,
                body,
              } as const;
            }),
          ),
        );
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const read = await readAll(chunks);
        assert.deepEqual(
          read.map(({ name, content, mode }) => ({ name, content, mode })),
          files.map(({ name, content, mode }) => ({ name, content, mode })),
        );
        assert.ok((await joined(safeTar(streamOf(chunks)))).equals(bytes));
      }),
    );
  });

  it('ends with an error, and only ours, for any damage', async () => {
    const sound = tarBytes([
      { name: 'a', content: 'x'.repeat(700) },
      paxEntry({ path: 'long' }),
      { name: 'b', type: '2', link: 'a' },
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sound.length - 1),
        fc.nat(255),
        fc.nat(sound.length),
        async (at, byte, end) => {
          const damaged = Buffer.from(sound.subarray(0, end));
          if (at < end) damaged[at] = byte;
          await readAll([damaged]).catch((error: unknown) =>
            assert.ok(ForgeError.is(error), String(error)),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('reads what tar itself writes, in each of its formats', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-tar-'));
    try {
      const deep = `${'deep'.repeat(12)}/`.repeat(4);
      mkdirSync(join(folder, deep), { recursive: true });
      writeFileSync(join(folder, deep, 'file'), 'deep');
      writeFileSync(join(folder, 'ünï'), 'x');
      symlinkSync(`${deep}file`, join(folder, 'link'));
      for (const format of ['gnu', 'pax', 'posix']) {
        const bytes = execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', '.']);
        const read = new Map((await readAll([bytes])).map((entry) => [entry.name, entry]));
        assert.equal(read.get(`${deep}file`)?.content, 'deep');
        assert.equal(read.get('link')?.link, `${deep}file`);
        assert.equal(read.get('ünï')?.type, 'file');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('holds an archive to its limits', async () => {
    const bytes = tarBytes([
      { name: 'a', content: 'xx' },
      { name: 'b', content: 'xx' },
    ]);
    for (const limits of [
      { entries: 1, bytes: 100 },
      { entries: 9, bytes: 3 },
    ]) {
      await assert.rejects(readAll([bytes], limits), (error) => ForgeError.is(error, 'too_large'));
    }
  });

  it('refuses what programs read in different ways', async () => {
    const sparse = { name: 'x', type: 'S' };
    const cases: readonly (readonly RawEntry[])[] = [
      [sparse],
      [paxEntry({ 'GNU.sparse.major': '1' }), { name: 'x' }],
      [{ ...paxEntry({ path: '../evil' }), type: 'g' }, { name: 'x' }],
      [{ name: 'x', type: '5', content: 'a folder with a content' }],
      [{ name: 'x', type: '2' }],
      [{ name: './', type: '0' }],
      [{ name: 'a', type: '0' }, { name: 'a/b' }],
      [{ name: '../x/', type: 'L', content: '../../etc/passwd\0' }, { name: 'x' }],
      [paxEntry({ size: '-1' }), { name: 'x' }],
    ];
    for (const entries of cases) {
      await assert.rejects(readAll([tarBytes(entries)]), (error) => ForgeError.is(error));
    }
  });

  it('refuses headers that would cost more than they say', async () => {
    const comments = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`comment.${index}`, 'x']),
    );
    const cases: readonly (readonly RawEntry[])[] = [
      [{ ...paxEntry(comments), type: 'g' }, { name: 'x' }],
      [paxEntry(comments), { name: 'x' }],
      [{ name: 'x', type: 'L', content: 'x'.repeat(20_000) }, { name: 'x' }],
    ];
    for (const entries of cases) {
      await assert.rejects(readAll([tarBytes(entries)]), /too long/);
    }
  });

  it('refuses an archive that was cut between two entries', async () => {
    for (const content of ['x', '\0']) {
      const whole = tarBytes([{ name: 'a', content: content.repeat(512) }, { name: 'b' }]);
      await assert.rejects(readAll([whole.subarray(0, 1024)]), /without the mark of its end/);
    }
  });

  it('gives no entry another name because its long one is damaged', async () => {
    for (const content of ['3x path=right\n', '99 path=right\n', '14 path:right\n']) {
      const bytes = tarBytes([{ name: 'pax', type: 'x', content }, { name: 'wrong' }]);
      await assert.rejects(readAll([bytes]), /damaged/);
    }
  });

  it('reads nothing behind the end', async () => {
    const [first, hidden] = [tarBytes([{ name: 'a' }]), tarBytes([{ name: 'hidden' }])];
    const read = await readAll([first, hidden, Buffer.alloc(700, 'x')]);
    assert.deepEqual(
      read.map((entry) => entry.name),
      ['a'],
    );
  });

  it('skips the body of an entry nobody reads', async () => {
    const bytes = tarBytes([
      { name: 'a', content: 'x'.repeat(5000) },
      { name: 'b', content: 'y' },
    ]);
    const names: string[] = [];
    for await (const entry of readTar(streamOf([bytes]))) names.push(entry.name);
    assert.deepEqual(names, ['a', 'b']);
  });
});
