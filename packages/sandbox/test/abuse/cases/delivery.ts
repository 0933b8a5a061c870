import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sh } from '../../../src/conformance/kit.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { type AbuseCase, type AbuseGroup, broken, held, type Verdict } from '../abuse-case.ts';

interface Delivery {
  readonly name: string;
  readonly tries: string;
  /** Run in the workspace; `$1` is a file of the host that a planted program would make. */
  readonly plant: string;
}

const hostile: readonly Delivery[] = [
  {
    name: 'hooks',
    tries: 'leaves hooks in .git that run on the host’s next git command',
    plant: `mkdir -p .git/hooks; for hook in post-checkout pre-commit post-index-change fsmonitor-watchman; do
      printf '#!/bin/sh\\ntouch %s\\n' "$1" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done; echo more >> a.txt`,
  },
  {
    name: 'configuration of git',
    tries: 'leaves aliases, a monitor, a pager and an external diff in .git/config',
    plant: `mkdir -p .git; printf '[core]\\n\\tfsmonitor = touch %s\\n\\tpager = touch %s\\n\\tsshCommand = touch %s\\n[diff]\\n\\texternal = touch %s\\n[include]\\n\\tpath = ../evil\\n' "$1" "$1" "$1" "$1" > .git/config; echo more >> a.txt`,
  },
  {
    name: 'filters of attributes',
    tries: 'a .gitattributes with filters and text converters of its own',
    plant: `echo '* filter=evil diff=evil merge=evil' > .gitattributes; mkdir -p .git
      printf '[filter "evil"]\\n\\tclean = touch %s\\n\\tsmudge = touch %s\\n[diff "evil"]\\n\\ttextconv = touch %s\\n\\tcommand = touch %s\\n' "$1" "$1" "$1" "$1" > .git/config; echo more >> a.txt`,
  },
  {
    name: 'a repository in the repository',
    tries: 'a bare repository and a .git file that leads elsewhere',
    plant: `mkdir -p inner/hooks inner/objects inner/refs; echo 'ref: refs/heads/main' > inner/HEAD
      printf '[core]\\n\\tfsmonitor = touch %s\\n\\tbare = false\\n\\tworktree = ..\\n' "$1" > inner/config
      mkdir -p sub; echo 'gitdir: ../inner' > sub/.git; echo more >> a.txt`,
  },
  {
    name: 'links over folders',
    tries: 'puts a link to the host where a folder was',
    plant: `rm -rf folder; ln -s "\${1%/*}" folder; echo more >> a.txt`,
  },
];

/** A tree of the user's goes into the sandbox, comes back poisoned, is looked at and taken over. */
function deliveryCase({ name, tries, plant }: Delivery): AbuseCase {
  return {
    name,
    tries,
    on: { process: 'holds' },
    own: {},
    attempt: async ({ sandbox, host }) => {
      const tree = mkdtempSync(join(tmpdir(), 'forge-delivery-'));
      try {
        const git = (...args: string[]) =>
          execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
            cwd: tree,
            stdio: ['ignore', 'pipe', 'ignore'],
            encoding: 'utf8',
          });
        git('init', '--quiet');
        writeFileSync(join(tree, 'a.txt'), 'some\n');
        mkdirSync(join(tree, 'folder'));
        writeFileSync(join(tree, 'folder/b.txt'), 'some\n');
        git('add', '-A');
        git('commit', '--quiet', '-m', 'first');
        const config = readFileSync(join(tree, '.git/config'), 'utf8');
        const stateFolder = `${tree}-state`;
        const source = { type: 'git', path: tree } as const;
        const workspace = await openWorkspace({ source, sandbox, stateFolder });
        const planted = join(host.folder, 'pwned');
        await sh(sandbox, plant, planted);
        const { text } = await workspace.diff();
        const taken = await workspace.apply().then(
          () => true,
          () => false,
        );
        // What a person does next.
        git('status');
        git('diff');
        git('log', '--oneline');
        if (existsSync(planted)) return broken('a program of its choice ran on the host');
        if (readFileSync(join(tree, '.git/config'), 'utf8') !== config)
          return broken('.git was changed on the host');
        if (lstatSync(join(tree, 'folder'), { throwIfNoEntry: false })?.isSymbolicLink())
          return broken('a link out of the tree was taken over');
        return judge(text, taken);
      } finally {
        rmSync(tree, { recursive: true, force: true });
        rmSync(`${tree}-state`, { recursive: true, force: true });
      }
    },
  };
}

function judge(diff: string, taken: boolean): Verdict {
  if (!taken) return held('refused, nothing taken over');
  return diff.includes('+more')
    ? held('the change is taken over, nothing ran')
    : broken('the change was lost');
}

/** What comes back to the user. */
export const delivery: AbuseGroup = {
  title: 'What is delivered',
  cases: hostile.map(deliveryCase),
};
