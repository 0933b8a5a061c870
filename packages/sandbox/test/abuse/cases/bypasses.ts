import { run, sh } from '../../../src/conformance/kit.ts';
import { type AbuseCase, type AbuseGroup, broken, held } from '../abuse-case.ts';

/**
 * Ways past a list of allowed commands, each behind a program that looks harmless. `$1` is a script
 * of the attacker's. The list of all of them is held in `@forge/tools`, where lists are.
 */
const ways: Readonly<Record<string, string>> = {
  'find -exec': 'find . -maxdepth 0 -exec "$1" \\;',
  'sed e': 'echo x | sed "1e $1"',
  'awk system': 'awk "BEGIN { system(\\"$1\\") }"',
  'tar --checkpoint-action': 'tar cf /dev/null . --checkpoint=1 --checkpoint-action=exec="$1"',
  'tar -I': 'tar -I "$1" -cf /dev/null .; true',
  'sort --compress-program':
    'perl -e \'print "$_ x\\n" for 1..60000\' | sort -S 32k --compress-program="$1" >/dev/null 2>&1; true',
  xargs: 'echo "$1" | xargs sh',
  env: 'env FOO=1 "$1"',
  BASH_ENV: 'BASH_ENV="$1" bash -c true',
  PERL5OPT:
    'printf "package evil; system(\\"$1\\"); 1;" > evil.pm; PERL5OPT=-Mevil PERL5LIB=. perl -e 1',
  'a new line': 'true\n"$1"',
  'quotes that split': 'eval "s\'h\' $1"',
  'a variable for a space': 'eval "sh$(printf "\\044{IFS}")$1"',
};

function bypassCase([name, command]: readonly [string, string]): AbuseCase {
  return {
    name,
    tries: 'runs a program of its choice behind an allowed name',
    attempt: async ({ sandbox, host }) => {
      const attacker = `#!/bin/sh
echo ran >> /tmp/ran
cat ${host.file} >> /tmp/ran 2>/dev/null
echo x > ${host.folder}/pwned 2>/dev/null
exit 0
`;
      await sandbox.writeFile('attacker', attacker, { mode: 0o755 });
      await sh(sandbox, 'rm -f /tmp/ran');
      const script = `${sandbox.workspace}/attacker`;
      const { err } = await run(sandbox, ['sh', '-c', command, 'sh', script]);
      const found = await sh(sandbox, 'cat /tmp/ran 2>/dev/null; rm -f /tmp/ran evil.pm attacker');
      if (!found.startsWith('ran')) throw new Error(`The program did not run: ${err}`);
      if (found.includes(host.secret)) return broken('read a file of the host');
      return host.written() ? broken('wrote to the host') : held('it ran, and found nothing');
    },
  };
}

/** A list of commands is no boundary: what gets past it has to stay inside. */
export const bypasses: AbuseGroup = {
  title: 'Past a list of allowed commands',
  cases: Object.entries(ways).map(bypassCase),
};
