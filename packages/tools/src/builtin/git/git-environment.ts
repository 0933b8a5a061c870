/**
 * Settings for git in a repository that may be hostile. What a repository configures can name
 * programs; every one that our commands would run is taken away: hooks, the file system monitor,
 * pagers, editors, signing, connections. Content filters have names of their own: the script that
 * runs git finds them.
 */
const settings: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'true',
  'core.attributesFile': '/dev/null',
  'core.sshCommand': 'false',
  'core.askPass': 'true',
  'core.quotePath': 'false',
  'commit.gpgSign': 'false',
  'log.showSignature': 'false',
  'gpg.program': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'diff.submodule': 'short',
  'protocol.allow': 'never',
  'color.ui': 'false',
  'safe.directory': '*',
};

/** No configuration but the repository's and ours, no prompt, no transport, paths taken literally. */
export function gitEnvironment(): Record<string, string> {
  const variables: Record<string, string> = {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    LC_ALL: 'C',
  };
  const entries = Object.entries(settings);
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  variables.GIT_CONFIG_COUNT = String(entries.length);
  return variables;
}
