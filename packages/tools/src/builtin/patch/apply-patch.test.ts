import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { QuotingError } from '../inside/quoting-error.ts';
import { onEverySandbox } from '../sandbox-fixtures.test.ts';
import { applyHunks } from './apply-hunks.ts';
import { findBlock } from './find-block.ts';
import { parsePatch } from './parse-patch.ts';

/** The one file a patch updates, applied to a content. */
function applied(content: string, patch: string): string {
  const [file] = parsePatch(patch);
  assert.ok(file?.type === 'update');
  return applyHunks('f', Buffer.from(content), file.hunks).toString();
}

const marked = (body: string) => `*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch\n`;
const unified = (body: string) => `--- a/f\n+++ b/f\n${body}\n`;

describe('a unified diff', () => {
  it('of any two texts makes the one into the other', () => {
    const line = fc.constantFrom(
      'a',
      'b',
      '',
      '-- x',
      '++ y',
      '--- a/q',
      '+++ b/q',
      '@@ -1 +1 @@',
      'é',
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 20 }), fc.boolean())
      .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        fc.pre(before !== after);
        const patch = createTwoFilesPatch('a/f', 'b/f', before, after, '', '', { context });
        assert.equal(applied(before, patch), after);
      }),
    );
  });

  it('goes where its lines are, if the numbers are wrong and the place is the only one', () => {
    const before = `${'x\n'.repeat(50)}find\nme\n`;
    assert.match(applied(before, unified('@@ -3,9 +3,1 @@\n find\n-me\n+you')), /find\nyou\n$/);
  });

  it('goes to the line it names, if there are several places', () => {
    const before = 'a\nb\na\nb\na\nb\n';
    assert.equal(applied(before, unified('@@ -3,2 +3,2 @@\n a\n-b\n+c')), 'a\nb\na\nc\na\nb\n');
  });

  it('does not choose between two places', () => {
    assert.throws(
      () => applied('a\nb\nz\na\nb\n', unified('@@ -9,2 +9,2 @@\n a\n-b\n+c')),
      /fits at 2 places, lines 1, 4\. Add lines of context/,
    );
  });

  it('shows the nearest lines where it does not fit', () => {
    assert.throws(
      () => applied('one\ntwo\nthree\n', unified('@@ -1,2 +1,2 @@\n one\n-too\n+2')),
      (error) =>
        error instanceof QuotingError &&
        /does not fit.*No file was changed/s.test(error.message) &&
        error.quoting.quote.startsWith('1\tone\n2\ttwo'),
    );
  });

  it('keeps CRLF', () => {
    assert.equal(applied('a\r\nb\r\n', unified('@@ -1,2 +1,2 @@\n a\n-b\n+c')), 'a\r\nc\r\n');
  });

  it('names, renames and removes files as git says', () => {
    const patch = [
      'diff --git a/old b/new',
      'similarity index 100%',
      'rename from old',
      'rename to new',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      'diff --git a/made b/made',
      '--- /dev/null',
      '+++ b/made',
      '@@ -0,0 +1 @@',
      '+y',
      '\\ No newline at end of file',
    ].join('\n');
    assert.deepEqual(parsePatch(patch), [
      { type: 'update', path: 'old', moveTo: 'new', hunks: [] },
      { type: 'delete', path: 'gone' },
      { type: 'add', path: 'made', lines: ['y'], newline: false },
    ]);
  });
});

describe('a marked patch', () => {
  const before = 'class A:\n  def f():\n    pass\n\nclass B:\n  def f():\n    pass\n';

  it('goes behind its anchors', () => {
    const patch = marked('@@ class B:\n@@   def f():\n-    pass\n+    return 1');
    assert.equal(applied(before, patch), before.replace(/pass\n$/, 'return 1\n'));
  });

  it('does not choose without one', () => {
    assert.throws(
      () => applied(before, marked('@@\n   def f():\n-    pass\n+    x')),
      /fits at 2 places/,
    );
  });

  it('adds lines behind an anchor, or at the end of the file', () => {
    assert.equal(applied('a\nb\n', marked('@@ a\n+x')), 'a\nx\nb\n');
    assert.equal(applied('a\nb\n', marked('@@\n+x\n*** End of File')), 'a\nb\nx\n');
    assert.throws(() => applied('a\nb\n', marked('@@\n+x')), /only adds lines/);
  });

  it('must be whole', () => {
    assert.throws(() => parsePatch('*** Begin Patch\n*** Delete File: f'), /no "\*\*\* End Patch"/);
    assert.throws(() => parsePatch(marked('what')), /where a line that begins with/);
    assert.throws(() => parsePatch('hello'), /names no file/);
  });
});

it('a block is found wherever it is', () => {
  const lines = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 });
  fc.assert(
    fc.property(
      lines,
      fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }),
      (all, block) => {
        const expected = all.flatMap((_, at) =>
          at + block.length <= all.length && block.every((line, index) => all[at + index] === line)
            ? [at]
            : [],
        );
        assert.deepEqual(findBlock(all, block), expected);
      },
    ),
  );
});

onEverySandbox('apply_patch', (kit) => {
  it('adds, changes, moves and removes files', async () => {
    const { ok, inside } = kit();
    await inside(
      'mkdir d; printf "a\\nb\\n" >d/u; printf x >d/gone; printf "1\\n" >d/from; chmod 755 d/from',
    );
    const patch = [
      '*** Begin Patch',
      '*** Add File: d/new/n',
      '+hi',
      '*** Update File: d/u',
      '@@',
      ' a',
      '-b',
      '+c',
      '*** Delete File: d/gone',
      '*** Update File: d/from',
      '*** Move to: d/to',
      '@@',
      '-1',
      '+2',
      '*** End Patch',
    ].join('\n');
    assert.equal(
      await ok('apply_patch', { patch }),
      'Patch applied:\nA d/new/n\nM d/u\nD d/gone\nR d/from -> d/to',
    );
    assert.equal(
      await inside('cd d; find . -type f | sort; cat new/n u to; stat -c %a to'),
      './new/n\n./to\n./u\nhi\na\nc\n2\n755\n',
    );
  });

  it('changes nothing if one part does not fit, or a file is there already', async () => {
    const { fails, inside } = kit();
    await inside('mkdir e; echo a >e/one; echo b >e/two');
    const first = '*** Update File: e/one\n@@\n-a\n+A\n';
    for (const second of ['*** Update File: e/two\n@@\n-x\n+y', '*** Add File: e/two\n+x']) {
      await fails('apply_patch', { patch: `*** Begin Patch\n${first}${second}\n*** End Patch` });
    }
    assert.equal(await inside('cat e/one e/two; ls -A e'), 'a\nb\none\ntwo\n');
  });

  it('takes back what it changed when a later file cannot be written', async () => {
    const { fails, inside } = kit();
    await inside('mkdir -p g/h; echo a >g/one; ln -s /etc g/h/out');
    const patch =
      '*** Begin Patch\n*** Update File: g/one\n@@\n-a\n+A\n*** Add File: g/h/out/x\n+x\n*** End Patch';
    assert.match(await fails('apply_patch', { patch }), /leads out of the workspace/);
    assert.equal(await inside('cat g/one; ls -A g'), 'a\nh\none\n');
  });
});
