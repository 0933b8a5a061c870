import { gone, run, sh, token } from '../../../src/conformance/kit.ts';
import { type AbuseGroup, broken, held } from '../abuse-case.ts';
import { attack } from '../attack.ts';

const mb = 1024 * 1024;

/** Taking more than one's share: processes, memory, time, descriptors. */
export const bombs: AbuseGroup = {
  title: 'Bombs',
  cases: [
    {
      name: 'fork bomb',
      tries: 'doubles its processes until stopped',
      own: { pids: 48 },
      attempt: async ({ sandbox }) => {
        const mark = token();
        const argv = ['sh', '-c', 'b() { b | b & b; }; b', mark] as const;
        await run(sandbox, { argv, timeoutMs: 1500 });
        await gone(sandbox, mark);
        return held('all of it killed');
      },
    },
    attack({
      name: 'as many processes as it gets',
      tries: 'forks 5,000 children that stay',
      own: { pids: 48 },
      perl: `
        my $count = 0;
        while ($count < 5000) {
          my $pid = fork;
          last unless defined $pid;
          unless ($pid) { sleep 600; exit }
          $count++;
        }
        $count <= 100 ? held("$!") : broke("$count processes at once");
        kill KILL => -$$;`,
    }),
    {
      name: 'memory bomb',
      tries: 'one process that takes memory without end',
      own: { memoryBytes: 64 * mb },
      attempt: async ({ sandbox }) => {
        const { end } = await run(sandbox, ['tail', '/dev/zero']);
        if (end.type !== 'signalled' || end.signal !== 'SIGKILL')
          return broken(JSON.stringify(end));
        return held('killed for want of memory');
      },
    },
    {
      name: 'memory in many processes',
      tries: 'eight processes that take 30 MB each, of 96',
      own: { memoryBytes: 96 * mb },
      attempt: async ({ sandbox }) => {
        const script = `
          for (1..8) { next if fork; my $x = 'x' x 30_000_000; print "kept\\n"; sleep 600; exit }
          my $ended = wait; print "one was ended\\n"; kill KILL => -$$;`;
        const { out } = await run(sandbox, ['perl', '-e', `$| = 1; ${script}`]);
        const kept = out.split('kept').length - 1;
        return kept < 4 ? held('killed for want of memory') : broken(`${kept} of 8 kept theirs`);
      },
    },
    {
      name: 'memory behind a file',
      tries: 'shared memory (memfd) instead of its own',
      own: { memoryBytes: 64 * mb },
      mayEnd: true,
      attempt: async ({ sandbox }) => {
        const call = process.arch === 'arm64' ? 279 : 319;
        const script = `
          my $fd = syscall(${call}, my $name = "x", 0); die "memfd: $!" if $fd < 0;
          open my $file, '>&=', $fd or die "open: $!";
          my $block = 'x' x 1_048_576; my $n = 0;
          while ($n < 256) { (syswrite $file, $block) or last; $n++; print "$n\\n" }`;
        const { out, end, err } = await run(sandbox, ['perl', '-e', `$| = 1; ${script}`]);
        const written = Number(out.trim().split('\n').at(-1));
        if (written >= 64) return broken(`${written} MB of 64`);
        if (end.type === 'exited') return broken(`it ended by itself: ${err}`);
        return held('killed for want of memory');
      },
    },
    {
      name: 'cpu burn',
      tries: 'four processes that only count, with half a core',
      own: { cpus: 0.5 },
      attempt: async ({ sandbox }) => {
        const began = performance.now();
        const before = (await sandbox.stats()).cpuMs;
        const script = 'for i in 1 2 3; do (while :; do :; done) & done; while :; do :; done';
        await run(sandbox, { argv: ['sh', '-c', script], timeoutMs: 3000 });
        const after = (await sandbox.stats()).cpuMs;
        if (before === undefined || after === undefined)
          return broken('nobody counts its cpu time');
        // A busy machine gives it less, never more: what it got is compared with the time it took,
        // that of its killing too.
        const share = (after - before) / (performance.now() - began);
        return share < 0.8 ? held('no more than its share') : broken(`${share.toFixed(1)} cores`);
      },
    },
    attack({
      name: 'file descriptors',
      tries: 'opens files until there are no more',
      perl: `
        my @open;
        while (@open < 1_100_000) { open(my $file, '<', '/dev/null') or last; push @open, $file }
        @open < 1_100_000 ? held("$!") : broke(scalar(@open) . ' open');`,
    }),
    attack({
      name: 'zombies',
      tries: 'leaves 400 dead children to nobody, with 48 processes allowed',
      own: { pids: 48 },
      perl: `
        my $made = 0;
        for (1..400) {
          my $pid = fork;
          unless (defined $pid) { select undef, undef, undef, 0.05; next }
          unless ($pid) { exit if fork; exit }
          waitpid $pid, 0;
          $made++;
        }
        my $left = 0;
        for my $try (1..100) {
          $left = grep { open(my $f, '<', $_) && <$f> =~ /\\) Z / } glob '/proc/[0-9]*/stat';
          last if $left == 0;
          select undef, undef, undef, 0.1;
        }
        $made < 50 ? broke("only $made could be made") : $left == 0 ? held('all reaped') : broke("$left left");`,
    }),
    attack({
      name: 'core dumps',
      tries: 'crashes with a core dump asked for',
      sh: `cd /tmp && mkdir -p core && cd core
        ulimit -c unlimited 2>/dev/null && echo 'BROKE the limit was raised'
        perl -e 'kill SEGV => $$'
        [ -z "$(ls)" ] && echo 'HELD none is written' || echo "BROKE $(ls)"`,
    }),
    {
      name: 'no mercy at its end',
      tries: 'takes the lowest priority for the out-of-memory killer',
      attempt: async ({ sandbox }) => {
        const script = 'echo -1000 > /proc/self/oom_score_adj && echo lowered || true';
        return (await sh(sandbox, script)) === '' ? held('permission denied') : broken('lowered');
      },
    },
    attack({
      name: 'real time',
      tries: 'asks for real-time scheduling and the highest priority',
      perl: `
        my ($set, $nice) = ${process.arch === 'arm64' ? '(119, 140)' : '(144, 141)'};
        my $priority = pack 'i', 50;
        syscall($set, 0, 1, $priority) == -1 ? held("$!") : broke('real-time');
        syscall($nice, 0, 0, -20) == -1 ? held("$!") : broke('highest priority');`,
    }),
  ],
};
