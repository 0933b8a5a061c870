import { gone, run, sh, text, token } from '../../../src/conformance/kit.ts';
import type { Execution, Sandbox } from '../../../src/sandbox.ts';
import { type AbuseCase, type AbuseGroup, broken, held } from '../abuse-case.ts';
import { attack } from '../attack.ts';

/** Scripts that do not want to end. Each prints `up` when it stands; `$1` marks its processes. */
const stubborn: readonly (readonly [name: string, tries: string, script: string])[] = [
  [
    'ignored signals',
    'ignores TERM, HUP, INT and all that can be ignored',
    `perl -e '$SIG{$_} = "IGNORE" for qw(TERM HUP INT QUIT PIPE ALRM USR1 USR2 TSTP TTIN TTOU);
      $| = 1; print "up\\n"; sleep 1 while 1' "$1"`,
  ],
  [
    'double-forked daemon',
    'leaves its parent and its session, twice',
    `(setsid sh -c '(trap "" TERM HUP INT; echo up; while :; do sleep 0.1; done) & wait' "$1" &)
      while :; do sleep 1; done`,
  ],
  [
    'stopped processes',
    'stops itself, so that no signal but KILL reaches it',
    `sh -c 'echo up; kill -STOP $$; sleep 600' "$1" & sh -c 'kill -STOP $$' "$1" & sleep 600`,
  ],
  [
    'a process that always moves',
    'forks and exits without pause, so that its number is never the same',
    `perl -e '$| = 1; print "up\\n"; while (1) { my $p = fork; exit if $p; setpgrp; select undef, undef, undef, 0.002 }' "$1" &
      sleep 600`,
  ],
];

function stubbornCase([name, tries, script]: (typeof stubborn)[number]): AbuseCase {
  return {
    name,
    tries,
    attempt: async ({ sandbox }) => {
      const mark = token();
      const execution = await started(sandbox, ['sh', '-c', script, 'sh', mark]);
      execution.kill();
      const { end } = await execution.result;
      if (end.type !== 'cancelled') return broken(JSON.stringify(end));
      await gone(sandbox, mark);
      return held('all killed');
    },
  };
}

/** Living on after one’s end, and harming the neighbours. */
export const processes: AbuseGroup = {
  title: 'Processes that do not end',
  cases: [
    ...stubborn.map(stubbornCase),
    {
      name: 'left in the background',
      tries: 'ends at once and leaves daemons that print',
      on: { process: 'holds' },
      attempt: async ({ sandbox }) => {
        const mark = token();
        const script = `
          sh -c 'while :; do echo late; sleep 0.05; done' "$1" &
          setsid sh -c 'trap "" TERM; while :; do echo late >&2; sleep 0.05; done' "$1" &
          echo left`;
        await run(sandbox, ['sh', '-c', script, 'sh', mark]);
        await gone(sandbox, mark);
        for (let again = 0; again < 5; again += 1) {
          const { out, err } = await run(sandbox, ['echo', 'own']);
          if (`${out}${err}` !== 'own\n') return broken('its output reached another command');
        }
        return held('killed, and unheard');
      },
    },
    {
      name: 'without a mark',
      tries: 'clears its environment and leaves its session',
      attempt: async ({ sandbox }) => {
        const mark = token();
        const script = `env -i setsid sh -c 'while :; do sleep 0.1; done' "$1" >/dev/null 2>&1 & exit 0`;
        await run(sandbox, ['sh', '-c', script, 'sh', mark]);
        await gone(sandbox, mark);
        return held('killed');
      },
    },
    {
      name: 'kill -9 -1',
      tries: 'kills all that it may, also what runs commands for the host',
      own: {},
      mayEnd: true,
      attempt: async ({ sandbox }) => {
        for (let again = 0; again < 3 && sandbox.state() === 'running'; again += 1) {
          await run(sandbox, { argv: ['sh', '-c', 'kill -9 -1'], timeoutMs: 2000 });
        }
        return held(sandbox.state() === 'running' ? 'it goes on' : 'the sandbox ended');
      },
    },
    {
      name: 'pid reuse',
      tries: 'ends long before its kill, while others get its number',
      attempt: async ({ sandbox }) => {
        const bystander = await started(sandbox, [
          'sh',
          '-c',
          'echo up; while [ ! -e over ]; do sleep 0.02; done; echo whole',
        ]);
        const past: Execution[] = [];
        for (let count = 0; count < 30; count += 1) {
          const execution = sandbox.exec({ argv: ['true'] });
          await execution.result;
          past.push(execution);
        }
        for (const execution of past) execution.kill();
        await sandbox.writeFile('over', '');
        const { stdout } = await bystander.result;
        await sh(sandbox, 'rm over');
        return text(stdout).includes('whole')
          ? held('kills no one else')
          : broken('a bystander was killed');
      },
    },
    {
      name: 'stopped against its will',
      tries: 'ignores TERM and floods a reader that has stalled while the sandbox is stopped',
      own: {},
      mayEnd: true,
      attempt: async ({ sandbox }) => {
        const execution = await started(sandbox, ['sh', '-c', 'trap "" TERM; echo up; yes']);
        await sandbox.stop({ graceMs: 100 });
        const { end } = await execution.result;
        return end.type === 'exited'
          ? broken('it ended by itself')
          : held('killed after its grace');
      },
    },
    attack({
      name: 'the first process',
      tries: 'kills process 1 and so the sandbox',
      perl: `
        kill 'KILL', 1; my $first = $!;
        -e '/proc/1/stat' ? held('ignored') : broke('gone');`,
    }),
  ],
};

/** Gives the command back once it has printed `up`. */
async function started(sandbox: Sandbox, argv: readonly [string, ...string[]]): Promise<Execution> {
  const execution = sandbox.exec({ argv });
  for await (const { bytes } of execution.output) if (text(bytes).includes('up')) break;
  return execution;
}
