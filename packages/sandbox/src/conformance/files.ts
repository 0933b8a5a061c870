import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type ConformanceSetup, failsWith, sh, text, useBench } from './kit.ts';

/** Reading and writing single files. */
export function filesConformance(setup: ConformanceSetup): void {
  const { processes } = setup.traits;
  describe('files', () => {
    const bench = useBench(setup);

    it('writes and reads any bytes, none to many', async () => {
      const { sandbox } = bench();
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      for (const content of [
        Buffer.alloc(0),
        every,
        Buffer.from('\n\n'),
        randomBytes(20_000_000),
      ]) {
        await sandbox.writeFile('bytes', content);
        const read = await sandbox.readFile('bytes', { limit: 30_000_000 });
        assert.equal(read.size, content.length);
        assert.ok(Buffer.from(read.bytes).equals(content), `${content.length} bytes`);
      }
      await sandbox.writeFile('text', 'ü\r\n');
      assert.equal(await sh(sandbox, 'cat text'), 'ü\r\n');
    });

    it('takes any name for a name', async () => {
      const { sandbox } = bench();
      const names = [
        'with space',
        'new\nline',
        'ends in newline\n',
        '-rf',
        '--help',
        `quote ' " \``,
        '$(touch pwned)',
        '*',
        '~',
        'back\\slash',
        'ünï 🦊',
        '...',
        'x'.repeat(200),
        'deep/er/and -deeper/file',
      ];
      for (const name of names) {
        await sandbox.writeFile(name, name);
        assert.equal(text((await sandbox.readFile(name)).bytes), name);
        // The cat of a shell that is played takes --help for its own wherever it stands.
        if (processes || name !== '--help') {
          assert.equal(await sh(sandbox, 'cat -- "$1"', name), name);
        }
        const absolute = `${sandbox.workspace}/${name}`;
        assert.equal(text((await sandbox.readFile(absolute)).bytes), name);
      }
      assert.equal(await sh(sandbox, 'test ! -e pwned && echo safe'), 'safe\n');
    });

    it('reads ranges, and says how big the whole is', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('digits', '0123456789');
      const cases = [
        [{}, '0123456789'],
        [{ limit: 3 }, '012'],
        [{ offset: 7 }, '789'],
        [{ offset: 2, limit: 4 }, '2345'],
        [{ offset: 8, limit: 100 }, '89'],
        [{ offset: 10 }, ''],
        [{ offset: 999 }, ''],
        [{ limit: 0 }, ''],
      ] as const;
      for (const [range, expected] of cases) {
        const { bytes, size } = await sandbox.readFile('digits', range);
        assert.equal(text(bytes), expected);
        assert.equal(size, 10);
      }
      const big = randomBytes(1_000_003);
      await sandbox.writeFile('big', big);
      const { bytes } = await sandbox.readFile('big', { offset: 654_321, limit: 70_001 });
      assert.ok(Buffer.from(bytes).equals(big.subarray(654_321, 724_322)));
    });

    it('cuts what it reads at 10 MB unless told', async () => {
      const { sandbox } = bench();
      await sh(sandbox, 'head -c 12000000 /dev/zero > twelve');
      const { bytes, size } = await sandbox.readFile('twelve');
      assert.equal(size, 12_000_000);
      assert.equal(bytes.length, 10 * 1024 * 1024);
      await sh(sandbox, 'rm twelve');
    });

    it('writes whole or not at all', async () => {
      const { sandbox } = bench();
      const [a, b] = ['a'.repeat(1_000_000), 'b'.repeat(1_500_000)];
      await sandbox.writeFile('swap/file', a);
      const writes = (async () => {
        for (let round = 0; round < 6; round += 1) {
          await sandbox.writeFile('swap/file', round % 2 === 0 ? b : a);
        }
      })();
      for (let round = 0; round < 6; round += 1) {
        const read = text((await sandbox.readFile('swap/file')).bytes);
        assert.ok(read === a || read === b, `a mixture of ${read.length} bytes`);
      }
      await writes;
      assert.equal(await sh(sandbox, 'ls -A swap'), 'file\n');
    });

    it('gives and keeps permissions', { skip: !processes }, async () => {
      const { sandbox } = bench();
      const modeOf = async (name: string) =>
        (await sh(sandbox, 'ls -l "$1" | cut -c1-10', name)).trim();
      await sandbox.writeFile('mode', 'x');
      assert.equal(await modeOf('mode'), '-rw-r--r--');
      await sandbox.writeFile('mode', 'x', { mode: 0o755 });
      assert.equal(await modeOf('mode'), '-rwxr-xr-x');
      await sandbox.writeFile('mode', 'y');
      assert.equal(await modeOf('mode'), '-rwxr-xr-x');
      await sandbox.writeFile('mode', 'z', { mode: 0o600 });
      assert.equal(await modeOf('mode'), '-rw-------');
    });

    it('names what is missing or no file', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('folder/file', 'x');
      assert.match(await failsWith(sandbox.readFile('nothing here'), 'not_found'), /nothing here/);
      await failsWith(sandbox.readFile('no/such/folder/x'), 'not_found');
      await failsWith(sandbox.readFile('folder/file/x'), 'not_found', 'not_a_file');
      await failsWith(sandbox.readFile('folder'), 'not_a_file');
      await failsWith(sandbox.readFile('.'), 'not_a_file');
      await failsWith(sandbox.writeFile('folder', 'x'), 'not_a_file');
      await failsWith(sandbox.writeFile('folder/file/x', 'x'));
      assert.equal(text((await sandbox.readFile('folder/file')).bytes), 'x');
    });

    it('does not wait for a pipe or read a device', { skip: !processes }, async () => {
      const { sandbox } = bench();
      await sh(sandbox, 'mkfifo pipe; ln -s /dev/zero zero; ln -s pipe to-pipe; ln -s loop loop');
      await failsWith(sandbox.readFile('pipe'), 'not_a_file');
      await failsWith(sandbox.readFile('to-pipe'), 'not_a_file');
      await failsWith(sandbox.readFile('zero'), 'not_a_file', 'not_allowed');
      await failsWith(sandbox.readFile('loop'));
    });

    it('follows a link inside the workspace', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('real/file', 'content');
      await sh(sandbox, 'ln -s real/file to-file; ln -s real to-folder; ln -s nowhere to-nothing');
      assert.equal(text((await sandbox.readFile('to-file')).bytes), 'content');
      assert.equal(text((await sandbox.readFile('to-folder/file')).bytes), 'content');
      assert.equal(text((await sandbox.readFile('real/../real/./file')).bytes), 'content');
      await failsWith(sandbox.readFile('to-nothing'), 'not_found');
    });

    it('refuses what can be no path or range', async () => {
      const { sandbox } = bench();
      await failsWith(sandbox.readFile('a\0b'), 'invalid_options');
      await failsWith(sandbox.readFile(''), 'invalid_options');
      await failsWith(sandbox.writeFile('a\0b', 'x'), 'invalid_options');
      await failsWith(sandbox.writeFile('', 'x'), 'invalid_options');
      await failsWith(sandbox.copyOut('a\0b'), 'invalid_options');
      await sandbox.writeFile('fine', 'x');
      for (const range of [{ offset: -1 }, { limit: -1 }, { offset: 0.5 }, { limit: Number.NaN }]) {
        await failsWith(sandbox.readFile('fine', range), 'invalid_options');
      }
    });
  });
}
