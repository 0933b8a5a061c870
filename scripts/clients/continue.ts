import type { CodingClient } from './coding-client.ts';

/** Named with its title: `continue` is a word of the language. */
export const continueClient: CodingClient = {
  name: 'continue',
  title: 'Continue',
  package: '@continuedev/cli',
  version: '1.5.47',
  wire: 'openai-chat',
  program: ['node_modules/@continuedev/cli/dist/cn.js'],
  launch: ({ url, home, prompt }) => ({
    args: ['--config', `${home}/.continue/config.yaml`, '--auto', '-p', prompt],
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    files: {
      '.continue/config.yaml': [
        'name: Local',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        '  - name: local',
        '    provider: openai',
        '    model: local',
        `    apiBase: ${url}/v1`,
        '    apiKey: none',
        '    capabilities: [tool_use]',
        '',
      ].join('\n'),
    },
  }),
  show: (file) => ({ name: 'Read', args: { filepath: file } }),
  misspelt: (file) => ({ name: 'Read', args: { path: file } }),
  stranger: 'read_file',
};
