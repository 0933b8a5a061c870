import { allCommands, type CompletedCommand } from './command-tree.ts';

/** The script of each shell. Pure. */
export const scripts = { bash, zsh, fish } as const;

function bash(tree: CompletedCommand): string {
  return `# Completion of forge for bash.
${walker(tree)}
_forge() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path words
  _forge_walk
  if [ -n "$words" ]; then
    COMPREPLY=( $(compgen -W "$words" -- "$cur") )
  fi
}
complete -o default -F _forge forge
`;
}

function zsh(tree: CompletedCommand): string {
  return `#compdef forge
# Completion of forge for zsh.
${walker(tree)}
_forge() {
  emulate -L zsh
  setopt ksh_arrays
  local -a COMP_WORDS
  COMP_WORDS=("\${(@)words}")
  local COMP_CWORD=$((CURRENT - 1)) prev path
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local words
  _forge_walk
  if [ -n "$words" ]; then
    compadd -- \${=words}
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_forge" ]; then
  _forge "$@"
else
  compdef _forge forge
fi
`;
}

/**
 * A function for both: it sets \`path\` to the command that was typed so far and \`words\` to what may
 * come next. Nothing in \`words\`: a value that only the file system knows.
 */
function walker(tree: CompletedCommand): string {
  const commands = allCommands(tree);
  const deeper = commands.filter(({ path }) => path.length > 0).map(({ path }) => keyOf(path));
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ long, choices }) =>
          `    ${quoted(`${keyOf(path)} ${long}`)}) words=${quoted(choices.join(' '))}; return ;;`,
      ),
  );
  const next = commands.map(({ path, commands: below, options, choices }) => {
    const words = [
      ...below.map((command) => command.path.at(-1) ?? ''),
      ...choices,
      ...options.map(({ long }) => long),
    ];
    return `    ${quoted(keyOf(path))}) words=${quoted(words.join(' '))} ;;`;
  });
  return `_forge_walk() {
  local i
  path=""
  for (( i = 1; i < COMP_CWORD; i++ )); do
    case "$path ""\${COMP_WORDS[i]}" in
      ${deeper.map(quoted).join('|')}) path="$path ""\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $prev" in
${values.join('\n')}
  esac
  case "$path" in
${next.join('\n')}
  esac
}`;
}

function keyOf(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join('');
}

function fish(tree: CompletedCommand): string {
  const lines = ['# Completion of forge for fish.', 'complete -c forge -f'];
  for (const { path, commands, options, choices } of allCommands(tree)) {
    const here = conditionOf(path, commands);
    for (const command of commands) {
      const name = command.path.at(-1) ?? '';
      lines.push(`complete -c forge -n ${here} -a ${quoted(name)} -d ${quoted(command.about)}`);
    }
    for (const choice of choices) {
      lines.push(`complete -c forge -n ${here} -a ${quoted(choice)}`);
    }
    for (const { long, short, about, takesValue, choices: values } of options) {
      const names = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
      const value =
        values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
      lines.push(`complete -c forge -n ${here} ${names}${value} -d ${quoted(about)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** True where exactly this command was typed, and none below it. */
function conditionOf(path: readonly string[], commands: readonly CompletedCommand[]): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const typed = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = commands.map((command) => command.path.at(-1)).join(' ');
  const none = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`];
  return quoted([...typed, ...none].join('; and '));
}

/** In single quotes, which every shell takes as they are. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
