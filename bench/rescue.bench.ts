import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { rescueToolCalls } from '@forge/core';
import { jsonrepair } from 'jsonrepair';
import { codingTools } from './fixtures/coding-tools.ts';
import {
  damagedReplies,
  type RescueReply,
  replyBytes,
  sizedReply,
  wholeReplies,
} from './fixtures/rescue-replies.ts';
import type { Bench, Comparison } from './harness/bench.ts';

const baseline = 'JSON.parse of as much JSON';
const { text: json } = sizedReply('JSON', (call) => JSON.stringify(call));
const parse = { name: baseline, run: () => JSON.parse(json) };
const bytes = `${replyBytes.toLocaleString('en')} bytes`;

function rescueFinds({ text, call }: RescueReply): boolean {
  const { calls } = rescueToolCalls(text, codingTools);
  return calls.length === 1 && sameCall(call, { name: calls[0]?.name, arguments: calls[0]?.args });
}

function repairFinds({ text, call }: RescueReply): boolean {
  try {
    return sameCall(call, repair(text));
  } catch {
    return false;
  }
}

function repair(text: string): unknown {
  return JSON.parse(jsonrepair(text));
}

/** Blanks count alike: a raw tab is damage to the JSON, and part of the value it stands for. */
function sameCall(call: RescueReply['call'], found: unknown): boolean {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('\\t', ' '));
  return isDeepStrictEqual(plain(call), plain(found));
}

function compareReplies(title: string, replies: readonly RescueReply[]): Comparison {
  for (const { text, name } of replies) assert.equal(text.length, replyBytes, name);
  const missed = replies.filter((reply) => !rescueFinds(reply));
  const forJsonrepair = replies.filter(({ isJson }) => isJson);
  const notRepaired = forJsonrepair.filter((reply) => !repairFinds(reply));
  return {
    kind: 'comparison',
    title: `${title}, ${bytes}`,
    baseline,
    contenders: [
      parse,
      ...replies.map(({ name, text }) => ({
        name: `Forge: ${name}`,
        run: () => rescueToolCalls(text, codingTools),
      })),
      ...forJsonrepair.filter(repairFinds).map(({ name, text }) => ({
        name: `jsonrepair + JSON.parse: ${name}`,
        run: () => repair(text),
      })),
    ],
    targets: replies.map(({ name }) => ({ contender: `Forge: ${name}`, atMost: 8 })),
    notes: [
      ...missed.map(({ name }) => `Forge does not bring the call back: ${name}.`),
      ...notRepaired.map(({ name }) => `jsonrepair does not bring the call back: ${name}.`),
    ],
  };
}

const sentence = 'The build is green and the plan is done. Here is what changed, and why. ';
const prose = sentence.repeat(Math.ceil(replyBytes / sentence.length)).slice(0, replyBytes);

export const bench: Bench = {
  name: 'rescue',
  sections: [
    compareReplies('One call in the formats models write', wholeReplies),
    compareReplies('One call in damaged JSON', damagedReplies),
    {
      kind: 'comparison',
      title: `A plain answer without any call, ${bytes}`,
      baseline,
      contenders: [parse, { name: 'Forge: prose', run: () => rescueToolCalls(prose, codingTools) }],
      targets: [{ contender: 'Forge: prose', atMost: 8 }],
    },
  ],
};
