import type { SearchInput } from './search-input.ts';

/** Whether there is a ripgrep that knows what we ask of it. */
export const hasRg = 'rg --no-config --no-require-git --version >/dev/null 2>&1';

/**
 * A file is given by its content, opened and looked at before: a link in its place leads nowhere.
 * Nothing follows an `exec`, as a played shell would go on behind it.
 */
export const rgScript = `
${hasRg} || exit 90
if [ -d "./$rel" ]; then
  enter
  exec rg "$@" .
else
  open
  exec rg "$@" <&3
fi
`;

/** Only what every grep knows. */
export const grepScript = `
command -v grep >/dev/null 2>&1 || exit 90
if printf 'x\\n' | grep -I x >/dev/null 2>&1; then set -- -I "$@"; fi
if [ -d "./$rel" ]; then
  enter
  exec grep -r "$@" .
else
  open
  grep "$@" <&3 | sed 's/^/<stdin>:/'
fi
`;

/** No configuration file, no program per file, no shell; the pattern cannot be an option. */
export function rgArguments(input: SearchInput): string[] {
  const { pattern, glob, literal, ignore_case, context, include_ignored } = input;
  return [
    '--json',
    '--no-config',
    '--hidden',
    '--no-require-git',
    '--glob=!.git',
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...(literal === true ? ['--fixed-strings'] : []),
    ...(ignore_case === true ? ['--ignore-case'] : []),
    ...(include_ignored === true ? ['--no-ignore'] : []),
    ...(context === undefined ? [] : [`--context=${context}`]),
    `--regexp=${pattern}`,
  ];
}

export function grepArguments({ pattern, literal, ignore_case }: SearchInput): string[] {
  return [
    '-n',
    literal === true ? '-F' : '-E',
    ...(ignore_case === true ? ['-i'] : []),
    '-e',
    pattern,
  ];
}
