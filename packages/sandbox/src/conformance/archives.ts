import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { readTar } from '../archive/read-tar.ts';
import { type ConformanceSetup, failsWith, sh, text, useBench } from './kit.ts';
import { paxEntry, tarBytes, tarStream } from './tar-bytes.ts';

/** Folders in and out, as tar streams. */
export function archivesConformance(setup: ConformanceSetup): void {
  const { processes } = setup.traits;
  describe('archives', () => {
    const bench = useBench(setup);

    it('unpacks files, folders, links and permissions', async () => {
      const { sandbox } = bench();
      const long = `${'long/'.repeat(40)}name`;
      await sandbox.copyIn(
        'new/folder',
        tarStream([
          { name: './', type: '5' },
          { name: './empty/', type: '5' },
          { name: 'a.txt', content: 'text\n' },
          { name: `odd ' $(id)\nname`, content: 'odd' },
          { name: '-dash', content: 'dash' },
          { name: 'run.sh', content: '#!/bin/sh\necho ran\n', mode: 0o755 },
          { name: 'link', type: '2', link: 'a.txt' },
          { name: 'out', type: '2', link: '/no/such/place' },
          { name: 'hard', type: '1', link: 'a.txt' },
          paxEntry({ path: long }),
          { name: 'cut', content: 'long' },
        ]),
      );
      const at = (name: string) => `new/folder/${name}`;
      const read = async (name: string) => text((await sandbox.readFile(at(name))).bytes);
      assert.equal(await read('a.txt'), 'text\n');
      assert.equal(await read(`odd ' $(id)\nname`), 'odd');
      assert.equal(await read('-dash'), 'dash');
      assert.equal(await read('link'), 'text\n');
      assert.equal(await read('hard'), 'text\n');
      assert.equal(await read(long), 'long');
      assert.equal(
        await sh(sandbox, 'cd new/folder; readlink link out; ls empty'),
        'a.txt\n/no/such/place\n',
      );
      if (processes) assert.equal(await sh(sandbox, './new/folder/run.sh'), 'ran\n');
    });

    it('packs a folder so that it comes out as it went in', async () => {
      const { sandbox } = bench();
      const big = randomBytes(3_000_000);
      await sandbox.copyIn(
        'source',
        tarStream([
          { name: 'big', content: big },
          { name: 'deep/er', type: '5' },
          { name: 'deep/er/file', content: 'x', mode: 0o755 },
          { name: 'deep/link', type: '2', link: 'er/file' },
          { name: 'deep/out', type: '2', link: '/etc/passwd' },
          { name: 'ünï "x"\n', content: '' },
        ]),
      );
      await sandbox.copyIn('copy', await sandbox.copyOut('source'));
      const [source, copy] = [
        await entriesOf(sandbox.copyOut('source')),
        await entriesOf(sandbox.copyOut('copy')),
      ];
      assert.deepEqual(copy, source);
      assert.deepEqual(Object.keys(copy), [
        'big',
        'deep',
        'deep/er',
        'deep/er/file',
        'deep/link',
        'deep/out',
        'ünï "x"\n',
      ]);
      assert.equal(copy['deep/out'], 'symlink /etc/passwd');
      assert.equal(copy['deep/er/file'], processes ? 'file 755 x' : copy['deep/er/file']);
      assert.equal(copy.big, source.big);
    });

    it('packs one file under its own name', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('some/-file', 'x');
      assert.deepEqual(Object.keys(await entriesOf(sandbox.copyOut('some/-file'))), ['-file']);
    });

    it('names what is not there to be packed', async () => {
      await failsWith(bench().sandbox.copyOut('no such folder'), 'not_found');
    });

    it('leaves the sandbox whole when a stream breaks off', async () => {
      const { sandbox } = bench();
      const archive = tarBytes([{ name: 'x', content: randomBytes(200_000) }]);
      await failsWith(sandbox.copyIn('broken', Readable.from([archive.subarray(0, 100_000)])));
      await failsWith(sandbox.copyIn('broken', Readable.from([randomBytes(5000)])));
      const failing = Readable.from(
        (async function* () {
          yield archive.subarray(0, 50_000);
          throw new Error('the line is dead');
        })(),
      );
      await assert.rejects(sandbox.copyIn('broken', failing), /the line is dead/);
      assert.equal(await sh(sandbox, 'echo fine'), 'fine\n');
      await sh(sandbox, 'mkdir many; head -c 20000000 /dev/zero > many/zeros');
      const stream = await sandbox.copyOut('many');
      for await (const _ of stream) break; // Destroys it.
      assert.equal(await sh(sandbox, 'echo fine; rm -r many'), 'fine\n');
    });

    it('goes at the pace of a slow reader', async () => {
      const { sandbox } = bench();
      await sh(sandbox, 'mkdir slow; head -c 8000000 /dev/zero > slow/zeros');
      const stream = await sandbox.copyOut('slow');
      let bytes = 0;
      for await (const chunk of stream) {
        bytes += chunk.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(bytes >= 8_000_000);
      assert.equal(await sh(sandbox, 'echo fine'), 'fine\n');
    });
  });
}

/** What an archive holds, as one line for each entry, sorted by name. */
export async function entriesOf(stream: Promise<Readable>): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for await (const { name, type, mode, link, body } of readTar(await stream)) {
    const parts: Uint8Array[] = [];
    for await (const bytes of body) parts.push(bytes);
    const content = Buffer.concat(parts).toString('latin1');
    const facts = {
      file: `${mode.toString(8)} ${content}`,
      folder: '',
      symlink: link,
      hardlink: link,
    };
    found.push([name, `${type} ${facts[type]}`]);
  }
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
