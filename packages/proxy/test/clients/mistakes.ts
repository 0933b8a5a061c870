import { calls } from '@forge/core/testing';
import type { Wire } from '@forge/models';
import type { ServerLine } from '@forge/models/testing';
import type { Outcome } from '../../src/index.ts';
import { rightArgs } from './voice.ts';

/** A way a model gets the one call wrong, and what it says when it is asked again. */
export interface Mistake {
  readonly name: string;
  readonly lines: readonly ServerLine[];
  readonly outcome: Outcome;
  /** Words that may reach the client beside the call. */
  readonly words?: string;
  /** Wires on which a model can make it. Default: all. */
  readonly on?: readonly Wire['name'][];
}

const right = calls(['get_weather', rightArgs, 'right_1']);

export const mistakes: readonly Mistake[] = [
  {
    name: 'a call written as text in tags',
    lines: [
      'I will look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}\n</tool_call>',
    ],
    outcome: 'rescued',
    words: 'I will look.',
  },
  {
    name: 'a call written as text in the form of Mistral',
    lines: ['[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}]'],
    outcome: 'rescued',
  },
  {
    name: 'a call written as text in JSON that is broken',
    lines: ['```json\n{"name": "get_weather", "arguments": {"city": \'Oslo\', "days": 3,}}\n```'],
    outcome: 'rescued',
  },
  {
    name: 'an argument of the wrong type',
    lines: [calls(['get_weather', { city: 'Oslo', days: '3' }, 'bad_1'])],
    outcome: 'repaired',
  },
  {
    name: 'arguments that are not quite JSON',
    lines: [calls(['get_weather', `{'city': "Oslo", "days": 3,}`, 'bad_1'])],
    outcome: 'repaired',
    on: ['openai-chat', 'openai-responses'],
  },
  {
    name: 'arguments that were cut short',
    lines: [calls(['get_weather', '{"city": "Oslo", "da', 'bad_1']), right],
    outcome: 'retried',
    on: ['openai-chat', 'openai-responses'],
  },
  {
    name: 'a missing argument',
    lines: [calls(['get_weather', { city: 'Oslo' }, 'bad_1']), right],
    outcome: 'retried',
  },
  {
    name: 'a tool that does not exist',
    lines: [calls(['forecast', { place: 'Oslo' }, 'bad_1']), right],
    outcome: 'retried',
  },
];
