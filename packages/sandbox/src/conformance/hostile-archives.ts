import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { entriesOf } from './archives.ts';
import { type ConformanceSetup, failsWith, sh, token, useBench } from './kit.ts';
import { paxEntry, type RawEntry, tarStream } from './tar-bytes.ts';

/** Archives and links that want to get out. */
export function hostileArchivesConformance(setup: ConformanceSetup): void {
  describe('what wants to get out', () => {
    const bench = useBench(setup);
    const secret = token();
    let host = '';
    before(() => {
      host = mkdtempSync(join(tmpdir(), 'forge-host-'));
      writeFileSync(join(host, 'secret'), secret);
    });
    after(() => rmSync(host, { recursive: true, force: true }));
    const up = '../'.repeat(12);
    const file = (name: string): RawEntry => ({ name, content: 'evil' });

    const archives: Readonly<Record<string, () => readonly RawEntry[]>> = {
      'a path that climbs out': () => [file('../evil')],
      'a path that climbs out further': () => [file(`${up}${host.slice(1)}/evil`)],
      'a path that climbs out in the middle': () => [file('a/b/../../../evil')],
      'an absolute path': () => [file(`${host}/evil`)],
      'a long path that climbs out': () => [
        paxEntry({ path: `${up}${host.slice(1)}/evil` }),
        file('fine'),
      ],
      'a file behind a link': () => [{ name: 'way', type: '2', link: host }, file('way/evil')],
      'a file behind a chain of links': () => [
        { name: 'a', type: '2', link: '..' },
        { name: 'b', type: '2', link: 'a/..' },
        file('b/evil'),
      ],
      'a folder behind a link': () => [
        { name: 'way', type: '2', link: host },
        { name: 'way/evil', type: '5' },
      ],
      'a hard link to the host': () => [{ name: 'evil', type: '1', link: join(host, 'secret') }],
      'a hard link that climbs out': () => [{ name: 'evil', type: '1', link: `${up}etc/passwd` }],
      'a hard link through a link': () => [
        { name: 'way', type: '2', link: host },
        { name: 'evil', type: '1', link: 'way/secret' },
      ],
      'a device': () => [{ name: 'evil', type: '3' }],
      'a block device': () => [{ name: 'evil', type: '4' }],
      'a pipe': () => [{ name: 'evil', type: '6' }],
    };
    for (const [what, entries] of Object.entries(archives)) {
      it(`refuses ${what}`, async () => {
        const { sandbox } = bench();
        await failsWith(sandbox.copyIn('hostile', tarStream(entries())));
        assert.deepEqual(readdirSync(host), ['secret']);
        const left = await sh(sandbox, 'ls evil ../evil hostile/evil 2>/dev/null || true');
        assert.equal(left, '');
      });
    }

    it('writes nothing through a link that was there before', async () => {
      const { sandbox } = bench();
      await sh(sandbox, 'mkdir -p planted; ln -s "$1" planted/way', host);
      await sandbox.copyIn('planted', tarStream([file('way/evil')])).catch(() => undefined);
      await sandbox.writeFile('planted/way/evil', 'evil').catch(() => undefined);
      await sandbox.copyIn('planted/way', tarStream([file('evil')])).catch(() => undefined);
      assert.equal(existsSync(join(host, 'evil')), false);
    });

    it('reads nothing of the host', async () => {
      const { sandbox } = bench();
      const target = join(host, 'secret');
      await sh(
        sandbox,
        'mkdir -p steal; ln -s "$1" steal/file; ln -s "$2" steal/folder',
        target,
        host,
      );
      for (const path of [
        'steal/file',
        'steal/folder/secret',
        target,
        `${up}${target.slice(1)}`,
        `steal/${up}${target.slice(1)}`,
        `/proc/self/root${target}`,
        `/proc/1/root${target}`,
        `/proc/self/cwd/${up}${target.slice(1)}`,
      ]) {
        await failsWith(sandbox.readFile(path), 'not_found', 'not_allowed', 'not_a_file');
      }
      assert.deepEqual(await entriesOf(sandbox.copyOut('steal')), {
        file: `symlink ${target}`,
        folder: `symlink ${host}`,
      });
      for (const path of ['steal/folder', host]) {
        const taken = await sandbox.copyOut(path).then(
          async (stream) => JSON.stringify(await entriesOf(Promise.resolve(stream))),
          () => '',
        );
        assert.equal(taken.includes(secret), false);
      }
    });
  });
}
