/**
 * Ways in which a harmless looking program runs another one, or writes where nobody looks. Found by
 * running them: of 36 commands that an allow-list by program name let through, 34 ran code of the
 * caller's choice. A `*` in a rule never stands for one of these; a rule without a star may.
 */
interface Program {
  /** The program exists to run others. */
  readonly always?: string;
  /** An option like this. Short ones are seen in clusters too, as in `-xO`. */
  readonly options?: RegExp;
  /** A word that is no option, like this. */
  readonly operands?: RegExp;
  /** The first word that is no option must be like this. */
  readonly script?: RegExp;
}

const launcher = (why: string): Program => ({ always: why });
const shell = launcher('it runs what it is given');

const git: Program = {
  options:
    /^(?:-c|-c.+|-C.*|--config-env.*|--exec-path.*|--git-dir.*|--work-tree.*|--upload-pack.*|--receive-pack.*|-u.*upload.*|--exec.*|-x.*|-O.*|--open-files-in-pager.*|--ext-diff|--textconv|--output.*|-o.+|--hook.*|--template.*|--separate-git-dir.*|--super-prefix.*|--editor.*|--no-index|--paginate|-p)$/,
  operands:
    /^(?:config|alias|bisect|filter-branch|difftool|mergetool|daemon|instaweb|submodule|hook|maintenance|fast-import|upload-pack|receive-pack|shell|credential.*|send-email|.*::.*|!.*)$/,
};

const packages: Program = {
  options:
    /^(?:--prefix.*|-C.*|--script-shell.*|--node-options.*|--globalconfig.*|--userconfig.*|--git.*|--cwd.*|--dir.*|--shell.*|-c.*|--call.*|--init-module.*|--use-yarnrc.*)$/,
};

const programs: Readonly<Record<string, Program>> = {
  git,
  find: { options: /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/ },
  fd: { options: /^(?:-[a-z]*[xX].*|--exec.*)$/ },
  // Scripts run programs (`e`, `s///e`) and write files (`w`): only printing lines is plain.
  sed: {
    options: /^-(?!n$|-quiet$|-silent$|E$|r$).*/,
    script: /^(?:\d+|\$)?(?:,(?:\+?\d+|\$))?[pdq]$/,
  },
  awk: shell,
  gawk: shell,
  mawk: shell,
  nawk: shell,
  tar: {
    options:
      /^(?:--checkpoint.*|--to-command.*|--use-compress-program.*|-[a-zA-Z]*[IF].*|--rsh-command.*|--info-script.*|--new-volume-script.*|--rmt-command.*|-P|--absolute-names|-C.*|--directory.*)$/,
  },
  sort: { options: /^(?:--compress-program.*|-[a-zA-Z]*[oT].*|--output.*|--temporary.*)$/ },
  rg: { options: /^(?:--pre.*|--hostname-bin.*|--search-zip|-[a-zA-Z]*z.*)$/ },
  npm: packages,
  npx: shell,
  pnpm: packages,
  yarn: packages,
  bun: packages,
  bunx: shell,
  cargo: { options: /^(?:--config.*|--manifest-path.*|-Z.*|-C.*|\+.*)$/ },
  rustc: { options: /^(?:-C.*|--codegen.*|-Z.*|-o.*|--sysroot.*)$/ },
  docker: {
    options:
      /^(?:-v.*|--volume.*|--mount.*|--privileged.*|--device.*|--pid.*|--net.*|--network.*|--ipc.*|--uts.*|--userns.*|--cap-add.*|--security-opt.*|-H.*|--host.*|--config.*|-c.*|--context.*|--volumes-from.*|--cgroupns.*)$/,
  },
  kubectl: {
    options: /^(?:--kubeconfig.*|--as.*|--token.*|-s.*|--server.*|--raw.*)$/,
    operands: /^(?:exec|cp|config|plugin|proxy|port-forward|attach|debug|edit)$/,
  },
  make: shell,
  xargs: shell,
  env: shell,
  sh: shell,
  bash: shell,
  dash: shell,
  zsh: shell,
  ksh: shell,
  fish: shell,
  busybox: shell,
  sudo: shell,
  doas: shell,
  su: shell,
  ssh: shell,
  nice: shell,
  ionice: shell,
  nohup: shell,
  timeout: shell,
  time: shell,
  watch: shell,
  parallel: shell,
  script: shell,
  setsid: shell,
  setpriv: shell,
  stdbuf: shell,
  strace: shell,
  ltrace: shell,
  gdb: shell,
  unshare: shell,
  nsenter: shell,
  chroot: shell,
  flock: shell,
  command: shell,
  builtin: shell,
  exec: shell,
  eval: shell,
  source: shell,
  '.': shell,
  trap: shell,
  alias: shell,
  export: shell,
  set: shell,
  ed: shell,
  ex: shell,
  vi: shell,
  vim: shell,
  nvim: shell,
  emacs: shell,
  less: shell,
  more: shell,
  man: shell,
  expect: shell,
  tee: launcher('it writes to files'),
  dd: launcher('it writes to files'),
};

/** Why a command does more than its name says, or undefined if it does what it says. */
export function hiddenProgram(argv: readonly string[]): string | undefined {
  const [program = '', ...words] = argv;
  if (program.includes('/')) return `${program} is a file of that name, which may be anything`;
  const known = Object.hasOwn(programs, program) ? programs[program] : undefined;
  if (known === undefined) return undefined;
  if (known.always !== undefined) return `${program}: ${known.always}`;
  const script = words.find((word) => !word.startsWith('-'));
  const found =
    known.script !== undefined && script !== undefined && !known.script.test(script)
      ? script
      : words.find((word) =>
          word.startsWith('-') ? isOption(word, known.options) : known.operands?.test(word),
        );
  return found === undefined ? undefined : `${program} ${found} can run or write something else`;
}

/** Long options may be written short of their end, as `--upload-p` or `--comp`. */
function isOption(word: string, options: RegExp | undefined): boolean {
  if (options === undefined) return false;
  if (options.test(word)) return true;
  const [, name] = /^--([^=]+)/.exec(word) ?? [];
  if (name === undefined) return false;
  return [...options.source.matchAll(/--([a-z-]+)/g)].some(([, long = '']) =>
    long.startsWith(name),
  );
}
