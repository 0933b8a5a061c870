import type { CodingClient } from './coding-client.ts';

export const codex: CodingClient = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.166.0',
  wire: 'openai-responses',
  program: ['node_modules/@openai/codex/bin/codex.js'],
  launch: ({ url, prompt }) => ({
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    files: {
      '.codex/config.toml': [
        'model = "local"',
        'model_provider = "forge"',
        'check_for_update_on_startup = false',
        '[model_providers.forge]',
        'name = "Forge"',
        `base_url = "${url}/v1"`,
        '[analytics]',
        'enabled = false',
        '',
      ].join('\n'),
    },
  }),
  show: (file) => ({ name: 'exec_command', args: { cmd: `cat ${file}` } }),
  misspelt: (file) => ({ name: 'exec_command', args: { command: `cat ${file}` } }),
  stranger: 'bash',
};
