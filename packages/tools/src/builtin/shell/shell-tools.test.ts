import assert from 'node:assert/strict';
import { it } from 'node:test';
import { performTool } from '@forge/core';
import { context, onEverySandbox, toolNamed } from '../sandbox-fixtures.test.ts';

onEverySandbox('shell', (kit) => {
  it('runs a script and shows its end and both streams', async () => {
    const { ok } = kit();
    assert.equal(
      await ok('shell', { command: 'echo out; echo err >&2; exit 3' }),
      'Exit code 3\nout\n[stderr]\nerr\n',
    );
    assert.equal(await ok('shell', { command: 'true' }), 'Exit code 0\n(no output)');
    assert.match(await ok('shell', { command: 'echo $((1+1)) | cat' }), /^Exit code 0\n2/);
  });

  it('runs a program with no shell', async () => {
    const { ok, fails } = kit();
    assert.equal(
      await ok('shell', { argv: ['printf', '%s', '$(id); *'] }),
      'Exit code 0\n$(id); *',
    );
    assert.match(
      await ok('shell', { argv: ['no-such-program'] }),
      /^Exit code 127\n\[stderr\]\nno-such-program: not found/,
    );
    assert.match(await fails('shell', {}), /give command or argv/);
  });

  it('runs in a folder of the workspace', async () => {
    const { ok, call, inside, sandbox } = kit();
    await inside('mkdir -p w/x');
    assert.equal(
      await ok('shell', { command: 'pwd', cwd: 'w/x' }),
      `Exit code 0\n${sandbox.workspace}/w/x\n`,
    );
    assert.equal((await call('shell', { command: 'pwd', cwd: 'nowhere' })).outcome, 'not_found');
  });

  it('kills what takes too long, with all it started', async () => {
    const { ok, inside } = kit();
    const text = await ok('shell', {
      command: 'echo begun; sleep 987654 & sleep 987654',
      timeout_seconds: 3,
    });
    assert.match(text, /^Command timed out after 3s .*exit code 124.*\nbegun/);
    // What was killed takes a moment to be gone.
    const count = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep -c "sleep 98765[4]"';
    const wait = `until [ "$(${count})" = 0 ]; do sleep 0.05; done; echo gone`;
    assert.equal(await inside(wait), 'gone\n');
  });

  it('takes the colours and tricks out of what is printed', async () => {
    const text = await kit().ok('shell', {
      command: "printf '\\033[31mred\\033[0m \\033]0;t\\007 \\377'",
    });
    assert.match(text, /^Exit code 0\nred {2}\ufffd\n\[Some bytes were not valid UTF-8/);
  });

  it('shows the ends of a long output and keeps the rest', async () => {
    const { ok } = kit();
    const text = await ok('shell', {
      command: 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done',
    });
    assert.ok(text.length < 31_000);
    assert.match(text, /line 0\n.*bytes not shown.*line 19999/s);
    const [, args = '{}'] = /read_result (\{.*\})/.exec(text) ?? [];
    const page = await ok('read_result', JSON.parse(args));
    assert.match(
      page,
      /^<untrusted-[0-9a-f]+ source="bytes \d+ to \d+ of 208890">\n.*\nline \d+\n/,
    );
    assert.match(page, /Read on with offset \d+\.\]$/);
  });

  it('stops when the call is cancelled', async () => {
    const { tools, inside } = kit();
    const controller = new AbortController();
    const running = performTool(
      toolNamed(tools, 'shell'),
      { command: 'touch started; sleep 987653' },
      context(controller.signal),
    );
    await inside('while [ ! -e started ]; do sleep 0.05; done');
    controller.abort();
    assert.equal((await running).outcome, 'cancelled');
  });
});

onEverySandbox(
  'background jobs',
  (kit) => {
    it('start, print, wait for news, and end', async () => {
      const { ok } = kit();
      const started = await ok('shell', {
        command: 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 5',
        background: true,
      });
      assert.match(started, /^Started job1\./);
      const first = await ok('shell_output', { job_id: 'job1', wait_seconds: 60 });
      assert.equal(first, 'Running\none\n\n[Next cursor: 4]');
      assert.equal(
        await ok('shell_output', { job_id: 'job1', cursor: 4 }),
        'Running\n(nothing new)\n[Next cursor: 4]',
      );
      assert.match(await ok('shell_jobs', {}), /^job1: Running: echo one/);
      await ok('write', { path: 'go', content: '' });
      let text = '';
      while (!text.startsWith('Ended'))
        text = await ok('shell_output', { job_id: 'job1', cursor: 8, wait_seconds: 60 });
      assert.equal(text, 'Ended. Exit code 5\n(nothing new)\n[Next cursor: 8]');
      assert.match(await ok('shell_output', { job_id: 'job1', cursor: 4 }), /\ntwo\n/);
    });

    it('are bounded, and killed', async () => {
      const { ok, fails, call } = kit();
      await ok('shell', { command: 'sleep 987652', background: true });
      await ok('shell', { command: 'sleep 987652', background: true });
      assert.match(
        await fails('shell', { command: 'true', background: true }),
        /2 background jobs are running \(job2, job3\).*shell_kill/,
      );
      assert.equal(await ok('shell_kill', { job_id: 'job2' }), 'job2 was killed.');
      assert.match(await ok('shell_kill', { job_id: 'job2' }), /had ended already/);
      await ok('shell_kill', { job_id: 'job3' });
      const { outcome, text } = await call('shell_output', { job_id: 'job9' });
      assert.equal(outcome, 'not_found');
      assert.match(text, /There is no job "job9"\. Jobs: job1, job2, job3/);
    });

    it('keep the last part of what they print', async () => {
      const { ok } = kit();
      const command = 'head -c 4000000 /dev/zero | tr "\\0" x; echo end';
      const [, id = ''] =
        /Started (job\d+)/.exec(await ok('shell', { command, background: true })) ?? [];
      let text = '';
      let cursor = 0;
      while (!text.startsWith('Ended')) {
        text = await ok('shell_output', { job_id: id, cursor, wait_seconds: 60 });
        cursor = Number(/Next cursor: (\d+)/.exec(text)?.[1]);
      }
      text = await ok('shell_output', { job_id: id });
      assert.match(
        text,
        /xend\n.*\[\d+ bytes before this are no longer kept\.\]\n\[Next cursor: 4000004\]$/s,
      );
    });
  },
  { maxJobs: 2 },
);
