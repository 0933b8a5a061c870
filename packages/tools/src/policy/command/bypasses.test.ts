import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockedCommand } from './blocked-command.ts';
import { notListed } from './listed-commands.ts';

const listed =
  'git find sed awk tar sort xargs env npm cargo make rg cat ls grep echo python3 docker'.split(
    ' ',
  );

/** Each ran code of the caller's choice behind a list that looks at the first word only. */
const bypasses: Readonly<Record<string, string>> = {
  'an alias of git': "git -c alias.x='!touch pwned' x",
  'a monitor of git': "git -c core.fsmonitor='touch pwned' status",
  "git's ssh": "git -c core.sshCommand='touch pwned' fetch",
  "git's external diff": "git -c diff.external='touch pwned' diff",
  "git's hooks": 'git -c core.hooksPath=/tmp/hooks commit -m x',
  "git's pager": "git -c core.pager='touch pwned' -p log",
  "git grep's pager": "git grep -O'touch pwned' x",
  "git's upload-pack": "git clone --upload-pack='touch pwned' a b",
  "git's upload-pack, cut short": "git fetch --upload-p='touch pwned' .",
  "git diff's output, cut short": 'git diff --outp=pwned',
  "sort's compressor, cut short": 'sort --comp=./evil -S 1 f',
  "tar's command, cut short": 'tar xf x --to-com=./evil',
  "git's ext transport": "git clone 'ext::sh -c touch% pwned' b",
  "git's configuration, for later": "git config core.fsmonitor 'touch pwned'",
  "git's environment": 'git --config-env=core.pager=X log',
  "another repository's configuration": 'git -C /tmp/evil status',
  "find's exec": 'find . -exec touch pwned +',
  "find's delete": 'find . -delete',
  "sed's e": "sed '1e touch pwned' f",
  "sed's flag e": "sed 's/a/b/e' f",
  "sed's w": "sed 'w pwned' f",
  "awk's system": 'awk \'BEGIN{system("touch pwned")}\'',
  "tar's checkpoint": "tar cf x . --checkpoint=1 --checkpoint-action=exec='touch pwned'",
  "tar's compressor": "tar -I 'touch pwned' -cf x .",
  "sort's compressor": 'sort --compress-program=./evil -S 1 f',
  "sort's output": 'sort f -o pwned',
  xargs: 'echo pwned | xargs touch',
  env: 'env touch pwned',
  "npm's prefix": 'npm --prefix /tmp/evil run x',
  "npm's shell": 'npm --script-shell=./evil run x',
  "npm's environment": 'npm_config_script_shell=./evil npm run x',
  "node's options": 'NODE_OPTIONS=--require=./evil.js npm test',
  "bash's environment": 'BASH_ENV=./evil git status',
  "python's path": 'PYTHONPATH=/tmp/evil python3 x.py',
  'a preloaded library': 'LD_PRELOAD=./evil.so ls',
  "cargo's configuration": "cargo --config build.rustc-wrapper='./evil' build",
  "make's shell": "make -f - '$(shell touch pwned)'",
  'a new line': 'git status\ntouch pwned',
  'a second command': 'git status; touch pwned',
  'a command that follows': 'git status && touch pwned',
  'a pipe': 'git status | sh',
  'a background': 'git status & touch pwned',
  'a substitution': 'git status $(touch pwned)',
  backticks: 'git status `touch pwned`',
  'quotes that split': "gi't' status; t'ou'ch pwned",
  'a variable for a space': `git$${'{IFS}'}status`,
  'a process substitution': 'cat <(touch pwned)',
  'a program of the same name': '/tmp/git status',
  'a relative program': './git status',
  "ripgrep's preprocessor": 'rg --pre ./evil x',
  'a mount of the host': 'docker run -v /:/host x',
  'an output over a file': 'echo x > pwned',
  'a space that is none': 'git\u00a0status',
  'a carriage return': 'git status\rtouch pwned',
};

describe('a list of programs', () => {
  for (const [name, command] of Object.entries(bypasses)) {
    it(`is not gone around by ${name}`, () => {
      assert.notEqual(notListed(command, listed), undefined, command);
    });
  }

  it('lets through what its programs do by name', () => {
    for (const command of [
      'git status --short',
      'git log --oneline -5',
      'git diff HEAD~1 -- src/a.ts',
      'git commit -m "Say why"',
      "find . -name 'x y'",
      "sed -n '5,20p' src/a.ts",
      'tar -tzf x.tgz',
      'sort -u names.txt',
      'npm test && git status',
      'npm run build -- --watch=false 2>&1',
      'cargo test --lib',
      'rg -n TODO src',
      'python3 -m pytest -q',
    ])
      assert.equal(notListed(command, listed), undefined, command);
  });

  it('names what is allowed', () => {
    assert.equal(
      notListed('curl x', ['git', 'npm']),
      'curl is not allowed. Allowed here: git, npm.',
    );
  });

  it('reads words that need no shell as they are', () => {
    assert.equal(notListed(['git', 'log', '--grep', 'a; b $(c)'], listed), undefined);
    assert.notEqual(notListed(['git', '-c', 'alias.x=!sh', 'x'], listed), undefined);
  });
});

describe('commands nobody means well with', () => {
  it('are refused, however they are written', () => {
    for (const command of [
      'rm -rf /',
      'rm -rf /*',
      'rm -fr /',
      'rm -r -f //',
      'sudo rm -rf / --no-preserve-root',
      'rm --recursive "/"',
      'cd / && rm -rf /.',
      ':(){ :|:& };:',
      'mkfs.ext4 /dev/sda1',
      'mkfs /dev/sda',
      'dd if=/dev/zero of=/dev/sda',
      'shutdown -h now',
      '/sbin/reboot',
      'true; poweroff',
    ])
      assert.notEqual(blockedCommand(command), undefined, command);
  });

  it('are not found where they are only spoken of', () => {
    for (const command of [
      'grep shutdown app',
      'rm -rf ./build',
      'rm -rf /tmp/x',
      'rm -rf node_modules dist',
      'echo "do not reboot"',
      'dd if=/dev/zero of=file bs=1k count=1',
      'cat src/mkfs.ts',
    ])
      assert.equal(blockedCommand(command), undefined, command);
  });
});
