import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConformanceSetup, failsWith, run, sh, text, useBench } from './kit.ts';

/** Arguments, folders, variables, and how a command ended. */
export function commandsConformance(setup: ConformanceSetup): void {
  describe('commands', () => {
    const bench = useBench(setup);

    it('passes arguments on as they are', async () => {
      const odd = [
        '',
        ' two  spaces ',
        `quotes ' " \` \\`,
        '$(id) $HOME `id`',
        'new\nline\r\n\ttab',
        '\n',
        'trailing newline\n',
        '-n',
        '--',
        '*',
        '~',
        '! # & ; | < > ( ) { }',
        'ünï 🦊 \u202e',
        '%s\\n',
        '',
      ];
      const script = 'for a do printf "%s\\0" "$a"; done';
      const { out } = await run(bench().sandbox, ['sh', '-c', script, 'sh', ...odd]);
      assert.deepEqual(out.split('\0').slice(0, -1), odd);
    });

    it('passes on long arguments, and many', async () => {
      const { sandbox } = bench();
      const long = 'x'.repeat(100_000);
      assert.equal((await run(sandbox, ['printf', '%s', long])).out, long);
      const many = Array.from({ length: 64 }, (_, index) => `${index}-`.padEnd(10_000, 'y'));
      assert.equal(await sh(sandbox, 'printf "%s" "$@"', ...many), many.join(''));
    });

    it('says so when an argument is longer than the system takes', async () => {
      const { sandbox } = bench();
      const long = 'x'.repeat(300_000);
      const ran = await run(sandbox, ['printf', '%s', long]);
      if (ran.end.type === 'not_started') assert.notEqual(ran.end.problem, '');
      else assert.equal(ran.out, long);
      assert.equal(await sh(sandbox, 'echo still here'), 'still here\n');
    });

    it('starts in the workspace, or where it is told', async () => {
      const { sandbox } = bench();
      assert.equal(await sh(sandbox, 'pwd'), `${sandbox.workspace}\n`);
      const folder = `odd ' folder\n-x`;
      await run(sandbox, ['mkdir', '-p', '--', folder]);
      for (const cwd of [folder, `${sandbox.workspace}/${folder}`, `./${folder}/`]) {
        const { out } = await run(sandbox, { argv: ['pwd'], cwd });
        assert.equal(out, `${sandbox.workspace}/${folder}\n`);
      }
    });

    it('adds variables to those of the sandbox', async () => {
      const sandbox = await bench().start({}, { env: { OWN: 'a', BOTH: 'sandbox' } });
      const env = { BOTH: `x ' " $(id)\n\\`, EMPTY: '' };
      const script = 'printf "%s|" "$OWN" "$BOTH" "$EMPTY"; env | grep -c "^EMPTY="';
      const { out } = await run(sandbox, { argv: ['sh', '-c', script], env });
      assert.equal(out, `a|x ' " $(id)\n\\||1\n`);
      // Nothing of one command's variables is left for the next.
      assert.equal(
        await sh(sandbox, 'printf "%s" "$BOTH"; env | grep -c "^EMPTY=" || true'),
        'sandbox0\n',
      );
    });

    it('holds nothing of the host in its environment', async () => {
      const { sandbox } = bench();
      const own =
        /^(?:PATH|HOME|LANG|LC_ALL|PWD|OLDPWD|SHLVL|_|HOSTNAME|TERM|TMPDIR|USER|LOGNAME|IFS|OPTIND|PS\d|FORGE_\w+|XDG_\w+|npm_config_cache|PIP_CACHE_DIR|\w+_CACHE\w*)$/i;
      const { out } = await run(sandbox, ['env']);
      const names = out.split('\n').flatMap((line) => /^([^=\s]+)=/.exec(line)?.[1] ?? []);
      assert.deepEqual(
        names.filter((name) => !own.test(name)),
        [],
      );
      assert.match(out, /^PATH=\//m);
    });

    it('gives exit codes', async () => {
      const { sandbox } = bench();
      for (const code of [0, 1, 2, 42, 124, 126, 127, 137, 255]) {
        const ran = await run(sandbox, ['sh', '-c', `exit ${code}`]);
        assert.deepEqual(ran.end, { type: 'exited', code });
        assert.equal(ran.exitCode, code);
        assert.ok(ran.durationMs >= 0);
      }
    });

    it('tells a program that is not there from one that ends with 127', async () => {
      const { sandbox } = bench();
      for (const argv of [
        ['no-such-program-here'],
        ['./no-such-file'],
        ['/no/such/file'],
      ] as const) {
        const ran = await run(sandbox, argv);
        assert.equal(ran.end.type, 'not_started', `${argv}: ${JSON.stringify(ran.end)}`);
        assert.equal(ran.exitCode, 127);
        assert.equal(text(ran.stdout), '');
        assert.ok(ran.end.type === 'not_started' && ran.end.problem.includes(argv[0]));
      }
    });

    it('says why a file or folder cannot be started', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('plain.txt', 'not a program', { mode: 0o644 });
      const plain = await run(sandbox, ['./plain.txt']);
      assert.equal(plain.end.type, 'not_started', JSON.stringify(plain.end));
      assert.equal(plain.exitCode, 126);
      const nowhere = await run(sandbox, { argv: ['pwd'], cwd: 'no/such/folder' });
      assert.equal(nowhere.end.type, 'not_started', JSON.stringify(nowhere.end));
      assert.ok(
        nowhere.end.type === 'not_started' && nowhere.end.problem.includes('no/such/folder'),
      );
      assert.equal(
        (await run(sandbox, { argv: ['pwd'], cwd: 'plain.txt' })).end.type,
        'not_started',
      );
    });

    it('runs a script of the workspace', async () => {
      const { sandbox } = bench();
      await sandbox.writeFile('bin/hi.sh', '#!/bin/sh\necho "hi $1"; exit 3\n', { mode: 0o755 });
      const ran = await run(sandbox, { argv: ['./hi.sh', 'you'], cwd: 'bin' });
      assert.equal(ran.out, 'hi you\n');
      assert.equal(ran.exitCode, 3);
    });

    it('refuses a command that could never run', async () => {
      const { sandbox } = bench();
      const bad = [
        { argv: [''] },
        { argv: ['a\0b'] },
        { argv: ['echo', 'a\0b'] },
        { argv: ['echo'], cwd: 'a\0b' },
        { argv: ['echo'], env: { 'A=B': 'x' } },
        { argv: ['echo'], env: { '': 'x' } },
        { argv: ['echo'], env: { A: 'x\0y' } },
        { argv: ['echo'], timeoutMs: 0 },
        { argv: ['echo'], timeoutMs: Number.NaN },
      ] as const;
      for (const command of bad) {
        await failsWith((async () => sandbox.exec(command).result)(), 'invalid_options');
      }
    });

    it('keeps nothing between commands but files', { skip: !setup.traits.processes }, async () => {
      const { sandbox } = bench();
      await sh(sandbox, 'mkdir -p kept; cd kept; export LEFT=1; umask 000; set -f; trap "" TERM');
      const ran = await run(sandbox, ['sh', '-c', 'pwd; echo "[$LEFT]"; umask; kill -TERM $$']);
      assert.equal(ran.out, `${sandbox.workspace}\n[]\n0022\n`);
      assert.deepEqual(ran.end, { type: 'signalled', signal: 'SIGTERM' });
    });
  });
}
