import { calls } from '@forge/core/testing';
import type { Said } from '@forge/models/testing';
import type { CodingClient } from './coding-client.ts';

export type MistakeName = 'text' | 'json' | 'arguments' | 'name';

/** Ways a model gets a client's call wrong. */
export const mistakes: Readonly<
  Record<
    MistakeName,
    { readonly title: string; say(client: CodingClient, file: string): Exclude<Said, Error> }
  >
> = {
  text: {
    title: 'the call written as text',
    say(client, file) {
      const { name, args } = client.show(file);
      const call = JSON.stringify({ name, arguments: args });
      return `I will look into the file.\n<tool_call>\n${call}\n</tool_call>`;
    },
  },
  json: {
    title: 'arguments that are not JSON',
    say(client, file) {
      const { name, args } = client.show(file);
      const pairs = Object.entries(args).map(([key, value]) => `'${key}': '${value}'`);
      return calls([name, `{${pairs.join(', ')},}`, 'call_wrong']);
    },
  },
  arguments: {
    title: 'an argument by a name the tool does not have',
    say(client, file) {
      const { name, args } = client.misspelt(file);
      return calls([name, args, 'call_wrong']);
    },
  },
  name: {
    title: 'a tool the client does not have',
    say: (client, file) => calls([client.stranger, client.show(file).args, 'call_wrong']),
  },
};

export const mistakeNames: readonly MistakeName[] = ['text', 'json', 'arguments', 'name'];
