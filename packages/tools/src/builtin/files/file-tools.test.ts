import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEverySandbox } from '../sandbox-fixtures.test.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

onEverySandbox('read and write', (kit) => {
  it('writes what it is given, with folders, and says how many bytes', async () => {
    const { ok } = kit();
    assert.equal(
      await ok('write', { path: 'deep/er/ü.txt', content: 'ä\n' }),
      'Successfully wrote 3 bytes to deep/er/ü.txt',
    );
    assert.equal(await ok('read', { path: './deep//er/ü.txt' }), 'ä\n');
    assert.equal(await ok('read', { path: `${kit().sandbox.workspace}/deep/er/ü.txt` }), 'ä\n');
  });

  it('writes large files, and leaves nothing else behind', async () => {
    const { ok, inside } = kit();
    const content = 'x'.repeat(300_000);
    await ok('write', { path: 'large/file', content });
    assert.equal(await inside('wc -c <large/file; ls -A large'), '300000\nfile\n');
  });

  it('keeps the permissions of a file it replaces, and writes through a link', async () => {
    const { ok, inside } = kit();
    await inside('mkdir -p m; echo old >m/run; chmod 755 m/run; ln -s run m/link');
    await ok('write', { path: 'm/link', content: 'new\n' });
    assert.equal(await inside('cat m/run; stat -c %a m/run; readlink m/link'), 'new\n755\nrun\n');
  });

  it('takes paths as data', async () => {
    const { ok, inside } = kit();
    for (const path of ['a \'b\' "c"', '$(touch pwned)', 'x;touch pwned', '-n', '*', 'new\nline']) {
      await ok('write', { path: `data/${path}`, content: path });
      assert.equal(await ok('read', { path: `data/${path}` }), path);
    }
    assert.equal(await inside('ls -d pwned data/pwned 2>/dev/null || echo none'), 'none\n');
  });

  it('reads by lines, and says how to read on', async () => {
    const { ok } = kit();
    await ok('write', { path: 'lines', content: 'one\ntwo\nthree\nfour' });
    assert.match(
      await ok('read', { path: 'lines', offset: 2, limit: 2 }),
      /^two\nthree\n\n\[Lines 2 to 3 are shown.*Read on with offset 4\.\]$/,
    );
    assert.equal(await ok('read', { path: 'lines', offset: 4 }), 'four');
    assert.equal(
      await ok('read', { path: 'lines', line_numbers: true, offset: 3 }),
      '3\tthree\n4\tfour',
    );
    assert.match(await ok('read', { path: 'lines', offset: 9 }), /fewer than 9 lines/);
    await ok('write', { path: 'empty', content: '' });
    assert.match(await ok('read', { path: 'empty' }), /The file is empty/);
  });

  it('cuts at 100 KB, at the last line break, counted in bytes', async () => {
    const { ok, inside } = kit();
    await inside(
      'i=0; while [ $i -lt 4000 ]; do echo "é 0123456789012345678901234567890123456789"; i=$((i+1)); done >big',
    );
    const text = await ok('read', { path: 'big', limit: 10_000 });
    const [, from] =
      /\[WARNING: File truncated at 100KB: .*Read on with offset (\d+)\.\]$/.exec(text) ?? [];
    const shown = text.slice(0, text.indexOf('\n['));
    assert.ok(Buffer.byteLength(shown) <= 100 * 1024 && Buffer.byteLength(shown) > 100 * 1024 - 60);
    assert.equal(Number(from), shown.split('\n').length);
  });

  it('reads inside a very long line', async () => {
    const { ok, inside } = kit();
    await inside('head -c 250000 /dev/zero | tr "\\0" a >long');
    assert.match(await ok('read', { path: 'long' }), /line 1 is longer than that.*byte_offset/);
    const text = await ok('read', { path: 'long', byte_offset: 200_000 });
    assert.match(text, /^a{50000}\n\[Bytes 200000 to 250000 of 250000\.\]$/);
  });

  it('shows images as images, and says what it cannot show', async () => {
    const { call, ok, sandbox, inside } = kit();
    await sandbox.writeFile('dot.txt', Buffer.from(png, 'base64'));
    const { content } = await call('read', { path: 'dot.txt' });
    assert.deepEqual(content[1], { type: 'image', mediaType: 'image/png', source: { data: png } });
    await inside("printf 'a\\0b' >binary; printf 'a\\377b' >damaged");
    assert.match(await ok('read', { path: 'binary' }), /Binary file of 3 bytes, not shown/);
    assert.match(
      await ok('read', { path: 'damaged' }),
      /^a\ufffdb\n\[Some bytes were not valid UTF-8/,
    );
    await sandbox.writeFile('wide', Buffer.from('\ufeffone\ntwo\n', 'utf16le'));
    assert.match(await ok('read', { path: 'wide', offset: 2 }), /^two\n\n\[The file is UTF-16/);
  });

  it('says so when characters are there that nobody sees', async () => {
    const { ok } = kit();
    await ok('write', { path: 'bidi', content: 'if (a \u202e) {}' });
    assert.match(await ok('read', { path: 'bidi' }), /\u202e.*\n\[1 invisible/s);
  });

  it('says what is there instead of a missing file', async () => {
    const { call, ok } = kit();
    await ok('write', { path: 'src/config.ts', content: '' });
    const { outcome, text } = await call('read', { path: 'src/confg.ts' });
    assert.equal(outcome, 'not_found');
    assert.match(
      text,
      /File not found: "src\/confg.ts"\. Did you mean one of these\?\n"config.ts"/,
    );
  });

  it('refuses folders and pipes without waiting', async () => {
    const { fails, inside } = kit();
    await inside('mkdir -p folder; mkfifo pipe');
    assert.match(await fails('read', { path: 'folder' }), /is a folder/);
    assert.match(await fails('read', { path: 'pipe' }), /neither a file nor a folder/);
    assert.match(await fails('write', { path: 'folder', content: '' }), /is a folder/);
    assert.match(
      await fails('write', { path: 'pipe/x', content: '' }),
      /is a file, or goes through/,
    );
  });
});

onEverySandbox('confinement', (kit) => {
  it('refuses paths that leave the workspace by their spelling', async () => {
    const { fails, sandbox } = kit();
    for (const path of ['..', '../x', 'a/../../x', '/etc/passwd', `${sandbox.workspace}-evil/x`]) {
      for (const name of ['read', 'list', 'search', 'glob', 'write', 'edit']) {
        const args = { path, pattern: 'x', content: 'x', old_text: 'a', new_text: 'b' };
        assert.match(await fails(name, args), /escapes allowed directory/, `${name} ${path}`);
      }
    }
    assert.match(await fails('read', { path: 'a\0b' }), /Invalid path/);
    assert.match(await fails('read', { path: '../x' }), /Path traversal detected/);
    assert.match(await fails('read', { path: '/etc/passwd' }), /Path must be within/);
  });

  it('refuses links that lead out, at every place of a path', async () => {
    const { fails, inside } = kit();
    await inside(
      'mkdir -p l; ln -s /etc l/etc; ln -s /etc/passwd l/file; ln -s etc l/chain; ln -s /proc/self/root l/root; ln -s ../.. l/up; ln -s /tmp/not-there-yet l/dangling',
    );
    const files = ['l/file', 'l/etc/passwd', 'l/chain/passwd', 'l/root/etc/passwd'];
    for (const path of files) {
      assert.match(await fails('read', { path }), /leads out of the workspace/, path);
      assert.match(await fails('search', { path, pattern: 'root' }), /leads out/, path);
      assert.match(await fails('write', { path, content: 'x' }), /leads out/, path);
      assert.match(
        await fails('edit', { path, old_text: 'root', new_text: 'x' }),
        /leads out/,
        path,
      );
    }
    for (const path of ['l/etc', 'l/chain', 'l/root', 'l/up']) {
      assert.match(await fails('list', { path }), /leads out/, path);
      assert.match(await fails('glob', { path, pattern: '*' }), /leads out/, path);
      assert.match(await fails('search', { path, pattern: 'x' }), /leads out/, path);
      assert.match(await fails('shell', { command: 'pwd', cwd: path }), /leads out/, path);
      assert.match(await fails('write', { path: `${path}/new`, content: 'x' }), /leads out/, path);
    }
    assert.match(await fails('write', { path: 'l/dangling', content: 'x' }), /leads out/);
  });

  it('never reads outside while a link is being swapped', async () => {
    const { call, inside, sandbox } = kit();
    await inside('mkdir -p race/real; echo fine >race/real/passwd; ln -s real race/link');
    const swapping = sandbox.exec({
      argv: ['sh', '-c', 'while :; do ln -sfn /etc race/link; ln -sfn real race/link; done'],
      timeoutMs: 60_000,
    });
    try {
      for (let round = 0; round < 30; round++) {
        const { text } = await call('read', { path: 'race/link/passwd' });
        assert.ok(!text.includes('root:'), text);
      }
    } finally {
      swapping.kill();
      await swapping.result;
    }
  });

  it('never writes outside while a link is being swapped', async () => {
    const { call, inside, sandbox } = kit();
    const outside = (await inside('mktemp -d')).trim();
    await inside('mkdir -p swap/real; ln -s real swap/link');
    const loop = `while :; do ln -sfn ${outside} swap/link; ln -sfn real swap/link; ln -sfn ${outside} swap/real/f; rm -f swap/real/f; done`;
    const swapping = sandbox.exec({ argv: ['sh', '-c', loop], timeoutMs: 60_000 });
    try {
      for (let round = 0; round < 20; round++) {
        await call('write', { path: 'swap/link/f', content: 'x' });
      }
    } finally {
      swapping.kill();
      await swapping.result;
    }
    assert.equal(await inside(`ls -A ${outside}; rm -r ${outside}`), '');
  });

  it('does not let the file tools plant hooks or settings in .git', async () => {
    const { fails, inside } = kit();
    await inside('mkdir -p .git/hooks; ln -s .git/hooks innocent');
    for (const path of ['.git/config', '.GIT/hooks/x', 'sub/.git/config']) {
      assert.match(await fails('write', { path, content: 'x' }), /git alone/, path);
    }
    assert.match(
      await fails('write', { path: 'innocent/post-commit', content: 'x' }),
      /leads into \.git/,
    );
    await inside('rm -rf .git innocent');
  });
});
