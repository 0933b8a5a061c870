import type { Message } from '@forge/core';
import { calls } from '@forge/core/testing';
import type { WireRequest } from '@forge/models';
import type { Said } from '@forge/models/testing';
import type { CodingClient } from './coding-client.ts';
import { type MistakeName, mistakes } from './mistakes.ts';

/** What the model said, in order: the wrong call, the right one, the last answer, or an aside. */
export type Spoken = 'mistake' | 'right call' | 'answer' | 'aside';

export interface ForgetfulModel {
  readonly script: (request: WireRequest) => Said;
  readonly spoken: readonly Spoken[];
}

/** What the file says; only who has read it can know the number. */
export const secretPattern = /heron-\d+/;

/**
 * A model that makes one mistake in its first call. Asked again, it calls the tool as it should;
 * once it has seen the secret in a result it tells it. It knows nothing but what it is sent.
 */
export function forgetfulModel({
  client,
  mistake,
  file,
}: {
  readonly client: CodingClient;
  readonly mistake: MistakeName;
  readonly file: string;
}): ForgetfulModel {
  const spoken: Spoken[] = [];
  const right = client.show(file);
  const say = (what: Spoken, said: Said): Said => {
    spoken.push(what);
    return said;
  };
  return {
    spoken,
    script({ tools, messages }) {
      if (tools.length === 0) return say('aside', 'A secret in a file');
      const secret = secretIn(messages);
      if (secret !== undefined) return say('answer', `The secret is ${secret}.`);
      if (!tools.some(({ name }) => name === right.name)) {
        const names = tools.map(({ name }) => name).join(', ');
        throw new Error(`${client.title} has no tool ${right.name} any more, but ${names}.`);
      }
      return spoken.includes('mistake')
        ? say('right call', calls([right.name, right.args, 'call_right']))
        : say('mistake', mistakes[mistake].say(client, file));
    },
  };
}

function secretIn(messages: readonly Message[]): string | undefined {
  const results = messages.filter(({ role }) => role === 'tool');
  return secretPattern.exec(JSON.stringify(results))?.[0];
}
