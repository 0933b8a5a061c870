import type { CodingClient } from './coding-client.ts';

export const opencode: CodingClient = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  wire: 'openai-chat',
  program: [
    'node_modules/opencode-*-{x64,arm64}/bin/opencode*',
    'node_modules/opencode-*/bin/opencode*',
  ],
  launch: ({ url, prompt }) => ({
    args: ['run', '--auto', prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        model: 'forge/local',
        autoupdate: false,
        share: 'disabled',
        provider: {
          forge: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1` },
            models: { local: {} },
          },
        },
      }),
    },
  }),
  show: (file) => ({ name: 'read', args: { filePath: file } }),
  misspelt: (file) => ({ name: 'read', args: { path: file } }),
  stranger: 'read_file',
};
