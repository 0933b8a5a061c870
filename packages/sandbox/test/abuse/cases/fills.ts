import { run, sh, text } from '../../../src/conformance/kit.ts';
import { type AbuseGroup, broken, held } from '../abuse-case.ts';
import { attack } from '../attack.ts';

const mb = 1024 * 1024;
const disk = 8 * mb;

/** Writes until there is no more room in `$1`, in `$2` files; says how much it was. */
const fill = `
  my ($folder, $files) = @ARGV;
  $SIG{XFSZ} = 'IGNORE';
  my ($written, $block) = (0, 'x' x 65536);
  FILE: for my $n (1..$files) {
    open my $file, '>', "$folder/fill$n" or last;
    for (1..(64 * 1_048_576 / $files / 65536)) {
      my $more = syswrite $file, $block;
      last FILE unless $more;
      $written += $more;
    }
  }
  $written <= ${disk} ? held("$!") : broke("$written bytes of ${disk}");
  unlink glob "$folder/fill*";`;

/** Filling disks, and output without end. */
export const fills: AbuseGroup = {
  title: 'Fills and floods',
  cases: [
    ...(['/workspace', '/tmp', '/dev/shm'] as const).map((folder) =>
      attack({
        name: `fill ${folder}`,
        tries: `one file of 64 MB in ${folder}, with 8 allowed`,
        own: { diskBytes: disk },
        perl: fill,
        args: () => [folder, '1'],
      }),
    ),
    attack({
      name: 'fill by many files',
      tries: '64 files of 1 MB in the workspace, with 8 MB allowed',
      own: { diskBytes: disk },
      perl: fill,
      args: () => ['/workspace', '64'],
    }),
    {
      name: 'file after file',
      tries: 'a million empty files, that take names instead of bytes',
      own: { diskBytes: disk, memoryBytes: 64 * mb },
      mayEnd: true,
      attempt: async ({ sandbox }) => {
        const script = `
          my $n = 0;
          while ($n < 1_000_000) {
            open(my $f, '>', "/workspace/n$n") or last; $n++;
            print "$n\\n" unless $n % 1000;
          }
          print $n < 1_000_000 ? "ended $!\\n" : "all\\n";`;
        const { out, end } = await run(sandbox, ['perl', '-e', `$| = 1; ${script}`]);
        if (out.includes('all')) return broken('all were made');
        if (out.includes('ended')) return held(/ended (.*)/.exec(out)?.[1]?.toLowerCase() ?? '');
        return end.type === 'signalled'
          ? held('killed for want of memory')
          : broken(JSON.stringify(end));
      },
    },
    {
      name: 'a file that is huge and empty',
      tries: 'a sparse file of 1 TB, read by the host',
      attempt: async ({ sandbox }) => {
        const made = await run(sandbox, ['truncate', '-s', '1T', 'sparse']);
        if (made.exitCode !== 0) return held('file too large');
        const { bytes, size } = await sandbox.readFile('sparse', { limit: mb });
        let copied = 0;
        for await (const chunk of await sandbox.copyOut('sparse')) {
          copied += chunk.length;
          if (copied > 4 * mb) break; // Lets go of it in the middle.
        }
        await sh(sandbox, 'rm sparse');
        return bytes.length <= mb && size === 1024 ** 4
          ? held('cut where asked for')
          : broken(`${bytes.length} of ${size} bytes`);
      },
    },
    {
      name: 'a folder 3,000 deep',
      tries: 'a path longer than any program takes, copied out',
      own: {},
      attempt: async ({ sandbox }) => {
        await sh(sandbox, `perl -e 'for (1..3000) { mkdir "deep"; chdir "deep" or die }'`);
        let bytes = 0;
        try {
          for await (const chunk of await sandbox.copyOut('.')) bytes += chunk.length;
        } catch {
          return held('refused');
        }
        return bytes < 64 * mb ? held('copied') : broken(`${bytes} bytes`);
      },
    },
    {
      name: 'endless output',
      tries: 'prints without end, and nobody stops it',
      attempt: async ({ sandbox }) => {
        const ran = await run(sandbox, { argv: ['yes'], timeoutMs: 3_000 });
        const kept = ran.stdout.length;
        if (ran.end.type !== 'timed_out') return broken(JSON.stringify(ran.end));
        return kept <= sandbox.limits.outputBytes && ran.dropped > 0
          ? held('dropped past the limit, killed at its time')
          : broken(`${kept} bytes kept`);
      },
    },
    {
      name: 'output nobody reads',
      tries: 'prints without end to a reader that has stalled, then is killed',
      attempt: async ({ sandbox }) => {
        const execution = sandbox.exec({ argv: ['yes'] });
        await execution.output[Symbol.asyncIterator]().next();
        execution.kill();
        const { end } = await execution.result;
        return end.type === 'cancelled' ? held('killed') : broken(JSON.stringify(end));
      },
    },
    {
      name: 'a line of 1 GB',
      tries: 'prints 1 GB without a line break',
      attempt: async ({ sandbox }) => {
        const argv = [
          'sh',
          '-c',
          'head -c 1073741824 /dev/zero | tr "\\0" x; echo end >&2',
        ] as const;
        const ran = await run(sandbox, { argv });
        const whole = ran.stdout.length + ran.stderr.length + ran.dropped;
        return ran.stdout.length <= sandbox.limits.outputBytes && whole === 1073741824 + 4
          ? held('cut, and every byte counted')
          : broken(`${whole} bytes, ${JSON.stringify(ran.end)}`);
      },
    },
    {
      name: 'output of two streams at once',
      tries: 'floods stdout and stderr together',
      attempt: async ({ sandbox }) => {
        const script = 'yes >&2 & yes; wait';
        const ran = await run(sandbox, { argv: ['sh', '-c', script], timeoutMs: 1000 });
        const kept = ran.stdout.length + ran.stderr.length;
        return kept <= sandbox.limits.outputBytes
          ? held('dropped past the limit')
          : broken(`${kept}`);
      },
    },
    {
      name: 'input nobody reads',
      tries: 'is given 20 MB and ends without reading them',
      attempt: async ({ sandbox }) => {
        const stdin = new Uint8Array(20 * mb);
        const { end } = await run(sandbox, { argv: ['true'], stdin });
        const next = text((await sandbox.exec({ argv: ['echo', 'x'] }).result).stdout);
        return end.type === 'exited' && next === 'x\n'
          ? held('skipped')
          : broken(next.slice(0, 100));
      },
    },
  ],
};
