/**
 * Ways in which a harmless looking program runs another one, or writes where nobody looks. Found by
 * running them: of 36 commands that an allow-list by program name let through, 34 ran code of the
 * caller's choice. A `*` in a rule never stands for one of these; a rule without a star may.
 * Interpreters (`python`, `node`) are not here: who names one lets it run what it is given.
 */
export interface Program {
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

const packages: Program = {
  options:
    /^(?:--prefix.*|-C.*|--script-shell.*|--node-options.*|--globalconfig.*|--userconfig.*|--git.*|--cwd.*|--dir.*|--shell.*|-c.*|--call.*|--init-module.*|--use-yarnrc.*)$/,
};

/** Short options may share a word, as in `-sSLo file`: those before the last are ones without a value. */
const curl: Program = {
  options:
    /^(?:-[#012346:aBfgGiIjklLMnNpqRsSvVZ]*[oOJKDcw].*|--output.*|--remote-name.*|--remote-header-name|--config.*|--dump-header.*|--cookie-jar.*|--write-out.*|--trace.*|--stderr.*|--libcurl.*|--etag-save.*|--hsts.*|--alt-svc.*|--engine.*|--expand-.*|--create-file-mode.*|--unix-socket.*|--abstract-unix-socket.*)$/,
};

const compiler: Program = {
  options:
    /^(?:--?wrapper.*|-B.*|--prefix.*|-f(?:plugin|pass-plugin|use-ld|dump|profile|opt-info|optimization-record|callgraph).*|-iplugindir.*|--gcc-.*|--ld-path.*|-o.*|--output.*|--?specs.*|--sysroot.*|-W[lap],.*|-X.*|-T.*|-M(?:D|MD|F).*|--?save-temps.*|-load.*|--config.*|-ccc-.*|-aux-info.*|-dump(?:dir|base).*|-z.*|-plugin.*|--for-linker.*|--for-assembler.*)$/,
  operands: /^@/,
};

export const programs: Readonly<Record<string, Program>> = {
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
  rsync: {
    options:
      /^(?:-[a-zA-Z0-9]*[eMT].*|--rsh.*|--rsync-path.*|--remote-option.*|--daemon.*|--config.*|--dparam.*|--log-file.*|--temp-dir.*|--backup-dir.*|--partial-dir.*|--write-batch.*|--only-write-batch.*|--early-input.*|--copy-as.*)$/,
  },
  scp: { options: /^-[a-zA-Z0-9]*[SoFDX].*$/ },
  // Reads commands, of which `!` is one.
  sftp: shell,
  curl,
  wget: {
    options:
      /^(?:-[a-zA-Z]*O(?!-$).*|-[a-zA-Z]*[oaPe].*|--output-.*|--append-output.*|--directory-prefix.*|--execute.*|--config.*|--use-askpass.*|--save-cookies.*|--warc-.*|--rejected-log.*|--hsts-file.*|--content-disposition)$/,
  },
  zip: {
    options:
      /^(?:-[a-zA-Z0-9]*(?:TT|lf|la).*|-[a-zA-Z0-9]*[bO].*|--unzip-command.*|--logfile-path.*|--log-append.*|--temp-path.*|--output-file.*|--out.*)$/,
  },
  go: {
    options:
      /^--?(?:exec|toolexec|vettool|overlay|modfile|ldflags|gcflags|asmflags|gccgoflags|compiler|pkgdir|o|C|w|u|outputdir|trace|\w*profile|test\..*)(?:=.*)?$/,
    operands: /^(?:run|generate|tool|install|bug|fix|telemetry)$/,
  },
  gcc: compiler,
  'g++': compiler,
  cc: compiler,
  'c++': compiler,
  cpp: launcher('it writes to files'),
  clang: compiler,
  'clang++': compiler,
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
