import type { CodingClient } from './coding-client.ts';

export const claude: CodingClient = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  wire: 'anthropic-messages',
  program: [
    'node_modules/@anthropic-ai/claude-code-*-{x64,arm64}/claude*',
    'node_modules/@anthropic-ai/claude-code-*/claude*',
  ],
  launch: ({ url, prompt }) => ({
    args: ['-p', prompt, '--allowedTools', 'Read'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
  show: (file) => ({ name: 'Read', args: { file_path: file } }),
  misspelt: (file) => ({ name: 'Read', args: { path: file } }),
  stranger: 'read_file',
};
