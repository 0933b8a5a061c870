import { entriesOf } from '../../../src/conformance/archives.ts';
import { sh, text } from '../../../src/conformance/kit.ts';
import { paxEntry, type RawEntry, tarStream } from '../../../src/conformance/tar-bytes.ts';
import { type AbuseCase, type AbuseGroup, broken, held } from '../abuse-case.ts';
import type { Stage } from '../stage.ts';

const up = '../'.repeat(12);
const evil = (name: string): RawEntry => ({ name, content: 'evil' });

/** Archives that the host is made to unpack: none may land outside, on either side. */
function archiveCase(
  name: string,
  tries: string,
  entries: (folder: string) => readonly RawEntry[],
): AbuseCase {
  return {
    name,
    tries,
    on: { process: 'holds' },
    attempt: async ({ sandbox, host }) => {
      const refused = await sandbox.copyIn('hostile', tarStream(entries(host.folder))).then(
        () => false,
        () => true,
      );
      const left = await sh(sandbox, 'ls pwned ../pwned hostile/pwned 2>/dev/null || true');
      await sh(sandbox, 'rm -rf hostile');
      if (left !== '') return broken(`made ${left}`);
      return refused ? held('refused') : broken('unpacked');
    },
  };
}

/** Reads by every way the host has; `undefined` if the secret stayed unread. */
async function readAll({ sandbox, host }: Stage, path: string): Promise<string | undefined> {
  const file = await sandbox.readFile(path).catch(() => undefined);
  if (file !== undefined && text(file.bytes).includes(host.secret)) return `read through ${path}`;
  const entries = await entriesOf(sandbox.copyOut(path)).catch(() => ({}));
  return JSON.stringify(entries).includes(host.secret) ? `copied out through ${path}` : undefined;
}

function readCase(options: {
  readonly name: string;
  readonly tries: string;
  readonly plant: string;
  readonly paths: (file: string) => readonly string[];
  readonly on?: AbuseCase['on'];
}): AbuseCase {
  const { plant, paths, ...about } = options;
  return {
    ...about,
    attempt: async (stage) => {
      const { sandbox, host } = stage;
      await sh(sandbox, `rm -rf steal; mkdir steal; cd steal; ${plant}`, host.file, host.folder);
      for (const path of paths(host.file)) {
        const leak = await readAll(stage, path);
        if (leak !== undefined) return broken(leak);
        await sandbox.writeFile(path.replace(/secret$/, 'pwned'), 'x').catch(() => undefined);
        if (host.written()) return broken(`written through ${path}`);
      }
      return held('leads nowhere on the host');
    },
  };
}

/** Tricks with names and links, played on the host that reads, writes and copies. */
export const files: AbuseGroup = {
  title: 'Files that lead astray',
  cases: [
    readCase({
      name: 'symbolic links',
      tries: 'links in the workspace to a file and a folder of the host',
      on: { process: 'holds' },
      plant: 'ln -s "$1" file; ln -s "$2" folder',
      paths: () => ['steal/file', 'steal/folder/secret', 'steal'],
    }),
    readCase({
      name: 'chains of links',
      tries: 'links to links to links, up and across, and in circles',
      on: { process: 'holds' },
      plant: `ln -s . a; ln -s a/a b; ln -s b/.. c; ln -s "c/${up}" d; ln -s "d\${1}" e; ln -s f g; ln -s g f`,
      paths: () => ['steal/e', 'steal/f', 'steal/a/b/a/e'],
    }),
    readCase({
      name: 'hard links',
      tries: 'a hard link to a file of the host',
      plant: 'ln "$1" file 2>/dev/null || true',
      paths: () => ['steal/file'],
    }),
    readCase({
      name: 'paths that climb',
      tries: '.. in every place, absolute paths, /proc/self/root, cwd and fd',
      plant: ':',
      paths: (file) => [
        file,
        `${up}${file.slice(1)}`,
        `steal/../${up}${file.slice(1)}`,
        `/proc/self/root${file}`,
        `/proc/1/root${file}`,
        `/proc/self/cwd/${up}${file.slice(1)}`,
        `/proc/self/fd/0/${file}`,
      ],
    }),
    {
      name: 'names that are no names',
      tries: 'NUL bytes, %2e%2e, backslashes, upper case, empty and endless paths',
      on: { process: 'holds' },
      attempt: async (stage) => {
        const { file } = stage.host;
        for (const path of [
          `x\0${file}`,
          `%2e%2e/${up}${file.slice(1)}`,
          `..\\..\\${file}`,
          file.toUpperCase(),
          '',
          'x/'.repeat(5000),
          `-rf ${file}`,
          `$(cat ${file})`,
        ]) {
          const leak = await readAll(stage, path);
          if (leak !== undefined) return broken(leak);
          await stage.sandbox.writeFile(path, 'x').catch(() => undefined);
        }
        return held('refused, or names like any other');
      },
    },
    {
      name: 'a race of names',
      tries: 'swaps a file for a link to the host while the host reads it 60 times',
      attempt: async (stage) => {
        const { sandbox, host } = stage;
        const script = `mkdir -p race; cd race; while :; do
          rm -rf x; echo own > x; rm -f x; ln -s "$1" x; rm -f x; mkdir x; done`;
        const racer = sandbox.exec({ argv: ['sh', '-c', script, 'sh', host.file] });
        try {
          for (let round = 0; round < 60; round += 1) {
            const leak = await readAll(stage, round % 2 === 0 ? 'race/x' : 'race');
            if (leak !== undefined) return broken(leak);
            await sandbox.writeFile('race/x', 'x').catch(() => undefined);
          }
        } finally {
          racer.kill();
          await racer.result;
        }
        return held('leads nowhere on the host');
      },
    },
    {
      name: 'files that never end',
      tries: 'has the host read a pipe, a device, a file without end',
      attempt: async ({ sandbox }) => {
        await sh(sandbox, 'rm -f pipe; mkfifo pipe; ln -sf /dev/zero zero');
        for (const path of ['pipe', 'zero', '/dev/zero', '/dev/urandom', '/proc/self/fd/0']) {
          const read = await sandbox.readFile(path, { limit: 1000 }).catch(() => undefined);
          if (read !== undefined && read.bytes.length > 1000) return broken(`${path} was read`);
        }
        await sandbox.writeFile('pipe', 'x');
        return held('no file, refused');
      },
    },
    archiveCase('archive that climbs', 'a tar with ../ in its names', (folder) => [
      evil('../pwned'),
      evil(`${up}${folder.slice(1)}/pwned`),
    ]),
    archiveCase('archive with absolute names', 'a tar with /… in its names', (folder) => [
      evil(`${folder}/pwned`),
    ]),
    archiveCase('archive with long names', 'a tar that climbs in a pax header only', (folder) => [
      paxEntry({ path: `${up}${folder.slice(1)}/pwned` }),
      evil('fine'),
    ]),
    archiveCase('archive through a link', 'a tar with a link, then a file behind it', (folder) => [
      { name: 'way', type: '2', link: folder },
      evil('way/pwned'),
    ]),
    archiveCase('archive through a hard link', 'a tar with a hard link to the host', (folder) => [
      { name: 'pwned', type: '1', link: `${folder}/secret` },
    ]),
    archiveCase('archive with a device', 'a tar with a device', () => [
      { name: 'pwned', type: '3' },
    ]),
    archiveCase('archive with a pipe', 'a tar with a named pipe', () => [
      { name: 'pwned', type: '6' },
    ]),
    {
      name: 'link planted before',
      tries: 'a link in the workspace, and then an archive and a write through it',
      on: { process: 'holds' },
      attempt: async ({ sandbox, host }) => {
        await sh(sandbox, 'rm -rf planted; mkdir planted; ln -s "$1" planted/way', host.folder);
        await sandbox.copyIn('planted', tarStream([evil('way/pwned')])).catch(() => undefined);
        await sandbox.copyIn('planted/way', tarStream([evil('pwned')])).catch(() => undefined);
        await sandbox.writeFile('planted/way/pwned', 'evil').catch(() => undefined);
        return host.written() ? broken('written on the host') : held('leads nowhere on the host');
      },
    },
  ],
};
