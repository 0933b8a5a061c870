import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { createBubblewrapBackend } from '../../bubblewrap/create-bubblewrap-backend.ts';
import { createProcessBackend } from '../../process/create-process-backend.ts';
import type { Sandbox, SandboxBackend } from '../../sandbox.ts';
import { openTree } from './open-tree.ts';
import { openPrivateGit } from './private-git.ts';
import { openRepository } from './repository.ts';
import { git, inside, repositoryWith } from './tree-fixtures.test.ts';

const backends: Readonly<Record<string, SandboxBackend>> = {
  process: createProcessBackend({ trusted: true }),
  bubblewrap: createBubblewrapBackend(),
};
after(() => Promise.all(Object.values(backends).map((backend) => backend.close())));

/** Few names, so that changes meet: files take the places of folders and links, and back. */
const name = fc.constantFrom(
  'a',
  'b',
  'a b',
  'ünï',
  'new\nline',
  '-x',
  '"q"',
  'back\\slash',
  '.dot',
  'sp ',
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `./${parts.join('/')}`);
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const octal = (bytes: Uint8Array) =>
  [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A step of a script. Whatever cannot be done (a folder in the way) is not. */
const step = fc.oneof(
  fc
    .record({ path, bytes: fc.uint8Array({ maxLength: 30 }), run: fc.boolean() })
    .map(({ path: to, bytes, run }) => {
      const file = quote(to);
      return `mkdir -p -- "$(dirname -- ${file}x)" && printf '${octal(bytes)}' > ${file} && chmod ${run ? '755' : '644'} ${file}`;
    }),
  path.map((to) => `printf 'more\\n' >> ${quote(to)}`),
  path.map((to) => `rm -rf -- ${quote(to)}`),
  fc.tuple(path, path).map(([from, to]) => `mv -- ${quote(from)} ${quote(to)}`),
  path.map((to) => `chmod +x -- ${quote(to)}`),
  fc
    .tuple(fc.constantFrom('a', '../..', '/etc/passwd', 'no where', '.'), path)
    .map(([target, to]) => `ln -s -- ${quote(target)} ${quote(to)}`),
  path.map((to) => `mkdir -p -- ${quote(to)}`),
  path.map((to) => `cp -r -- ${quote(to)} ./copy`),
  path.map((to) => `git init -q -- ${quote(to)}`),
);

/** Every file and link: its name, kind, mode and content. Not what belongs to git. */
const listing = (sandbox: Sandbox) =>
  inside(
    sandbox,
    `find . -name .git -prune -o \\( -type f -o -type l \\) -exec sh -c '
      for path in "$@"; do
        if [ -L "$path" ]; then printf "%s -> " "$path"; readlink -- "$path"
        else printf "%s %s " "$path" "$(stat -c %a -- "$path")"; od -An -v -tx1 -- "$path" | tr -d "\\n"; echo; fi
      done' sh {} + | sort`,
  );

for (const [kind, backend] of Object.entries(backends)) {
  describe(`what is kept of a sandbox (${kind})`, () => {
    it('is what another sandbox shows, after any changes', async () => {
      const { root, head, remove } = repositoryWith({ a: 'a\n', 'b/a': 'b\n', 'b/link': '->a' });
      const privateGit = await openPrivateGit(await openRepository(root));
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 3 }),
            async (rounds) => {
              const sandbox = await backend.start();
              const common = { git: privateGit, start: head };
              const { tree } = await openTree({ ...common, sandbox, from: head });
              let kept = '';
              for (const steps of [[], ...rounds]) {
                const script = steps.map((each) => `( ${each} ) 2>/dev/null || :`).join('\n');
                await inside(sandbox, `umask 022\n${script}\n:`);
                kept = (await tree.keep()).tree;
              }
              const commit = git(root, 'commit-tree', '-p', head, '-m', 'kept', kept);
              const again = await backend.start();
              const fresh = await openTree({ ...common, sandbox: again, from: commit });
              assert.equal(await listing(again), await listing(sandbox));
              assert.equal((await fresh.tree.keep()).tree, kept);
              await Promise.all([sandbox.stop(), again.stop()]);
            },
          ),
          { numRuns: 12 },
        );
      } finally {
        await privateGit.close();
        remove();
      }
    });
  });
}
