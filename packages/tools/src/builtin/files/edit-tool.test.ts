import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { onEverySandbox } from '../sandbox-fixtures.test.ts';
import { applyEdits } from './apply-edits.ts';
import { nearestLines } from './nearest-lines.ts';

onEverySandbox('edit', (kit) => {
  it('replaces text exactly and shows what changed', async () => {
    const { ok } = kit();
    await ok('write', { path: 'a.ts', content: 'const a = 1;\nconst b = 2;\n' });
    assert.equal(
      await ok('edit', { path: 'a.ts', old_text: 'b = 2', new_text: 'b = 3' }),
      'Edited a.ts.\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;',
    );
  });

  it('makes several edits or none', async () => {
    const { ok, fails } = kit();
    await ok('write', { path: 'many', content: 'one two three' });
    const good = { old_text: 'one', new_text: '1' };
    const said = await fails('edit', {
      path: 'many',
      edits: [good, { old_text: 'four', new_text: '4' }],
    });
    assert.match(said, /edits\[1\]: old_text was not found.*None of the edits was made\./s);
    assert.equal(await ok('read', { path: 'many' }), 'one two three');
    await ok('edit', { path: 'many', edits: [good, { old_text: '1 two', new_text: '3' }] });
    assert.equal(await ok('read', { path: 'many' }), '3 three');
  });

  it('says where a text is that is not unique, and replaces all if asked', async () => {
    const { ok, fails } = kit();
    await ok('write', { path: 'twice', content: 'x\ny\nx\n' });
    assert.match(
      await fails('edit', { path: 'twice', old_text: 'x', new_text: 'z' }),
      /2 times, at lines 1, 3\. Add lines around it.*replace_all/,
    );
    await ok('edit', { path: 'twice', old_text: 'x', new_text: 'xx', replace_all: true });
    assert.equal(await ok('read', { path: 'twice' }), 'xx\ny\nxx\n');
  });

  it('keeps line ends, byte order mark and bytes it does not understand', async () => {
    const { ok, sandbox } = kit();
    const bytes = Buffer.concat([
      Buffer.from('\ufeffa() {\r\n  one;\r\n}\r\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
    ]);
    await sandbox.writeFile('odd', bytes);
    await ok('edit', { path: 'odd', old_text: 'a() {\n  one;', new_text: 'b() {\n  two;' });
    const { bytes: after } = await sandbox.readFile('odd');
    assert.equal(
      Buffer.from(after).toString('latin1'),
      bytes.toString('latin1').replace('a()', 'b()').replace('one', 'two'),
    );
  });

  it('sends a miss back to where it belongs', async () => {
    const { fails, call } = kit();
    assert.match(
      await fails('edit', { path: 'twice', old_text: 'q', new_text: 'q' }),
      /are the same/,
    );
    const { outcome } = await call('edit', { path: 'no', old_text: 'a', new_text: 'b' });
    assert.equal(outcome, 'not_found');
  });
});

describe('nearestLines', () => {
  const file = Buffer.from(
    'function a() {\n  return one;\n}\n\nfunction b() {\n  return two;\n}\n',
  );

  it('finds the place by lines that are the same', () => {
    const said = nearestLines(file, 'function b() {\n  return 2;\n}');
    assert.equal(said.why, 'The nearest lines are:');
    assert.match(said.quote, /^3\t}\n4\t\n5\tfunction b\(\) \{\n6\t {2}return two;/);
  });

  it('says when only white space differs', () => {
    const { why } = nearestLines(file, 'function b() {\n\treturn two;\n}');
    assert.match(why, /^Only spaces or tabs/);
  });

  it('finds a line that is like it', () => {
    assert.match(nearestLines(file, '  return two ;;').quote, /6\t {2}return two;/);
  });

  it('notices line numbers, and shows the beginning if all else fails', () => {
    const numbered = nearestLines(file, '5\tfunction b() {\n6\t  return two;');
    assert.match(numbered.why, /line numbers/);
    const nothing = nearestLines(file, 'zzzz');
    assert.match(nothing.why, /Nothing like it/);
    assert.match(nothing.quote, /function a/);
  });
});

it('an edit does what String.replace does', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '\n'),
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (content, old_text, new_text, replace_all) => {
      const count = content.split(old_text).length - 1;
      fc.pre(old_text !== new_text && (replace_all ? count > 0 : count === 1));
      const expected = content.replaceAll(old_text, () => new_text);
      const edit = { old_text, new_text, replace_all };
      assert.equal(applyEdits('f', Buffer.from(content), [edit]).toString(), expected);
    }),
  );
});
