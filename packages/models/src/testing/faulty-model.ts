import { ForgeError, type Model } from '@forge/core';
import { damagedJson, missingArguments, wrongTool, wrongTypes } from './mistakes/call-mistakes.ts';
import type { MakeMistake, Mistake } from './mistakes/mistake.ts';
import {
  callAsText,
  empty,
  prose,
  reasoningLeak,
  repeated,
  truncated,
} from './mistakes/reply-mistakes.ts';
import { seededRandom } from './mistakes/seeded-random.ts';

/** In the order in which chance is dealt out to them: a new one goes to the end. */
const makers: readonly { readonly mistake: Mistake; readonly make: MakeMistake }[] = [
  { mistake: 'call_as_text', make: callAsText },
  { mistake: 'wrong_tool', make: wrongTool },
  { mistake: 'wrong_types', make: wrongTypes },
  { mistake: 'missing_arguments', make: missingArguments },
  { mistake: 'prose', make: prose },
  { mistake: 'empty', make: empty },
  { mistake: 'truncated', make: truncated },
  { mistake: 'repeated', make: repeated },
  { mistake: 'damaged_json', make: damagedJson },
  { mistake: 'reasoning_leak', make: reasoningLeak },
];

export interface MadeMistake {
  /** The number of the call, from 1. */
  readonly call: number;
  readonly mistake: Mistake;
  /** What was done, for a person. */
  readonly note: string;
}

export interface FaultyModelOptions {
  readonly seed: number;
  /**
   * How likely each mistake is, from 0 to 1, in all at most 1; or one number for all of them
   * together, in equal shares. A reply that gives no occasion for the mistake that was drawn (no
   * call to get wrong) stays as it is.
   */
  readonly rates: number | Readonly<Partial<Record<Mistake, number>>>;
  readonly onMistake?: (made: MadeMistake) => void;
}

export interface FaultyModel extends Model {
  /** What it got wrong so far. */
  readonly made: readonly MadeMistake[];
}

/**
 * The same model, getting some replies wrong the way models do. Which and how follows from the
 * seed and the number of the call alone, so that a run can be repeated mistake for mistake.
 * Deltas are told once the whole reply is there.
 *
 * @example
 * const model = faultyModel(good, { seed: 1, rates: { call_as_text: 0.3, wrong_types: 0.1 } });
 */
export function faultyModel(model: Model, options: FaultyModelOptions): FaultyModel {
  const { seed, onMistake } = options;
  const rates = readRates(options.rates);
  const made: MadeMistake[] = [];
  let calls = 0;
  return {
    id: model.id,
    made,
    contextLength: async (call) => model.contextLength?.(call),
    async complete(request, { signal, onDelta }) {
      calls += 1;
      const call = calls;
      const random = seededRandom(seed, call);
      const drawn = draw(rates, random.next());
      const right = await model.complete(request, { signal });
      const mistaken = drawn?.make({ reply: right, request, random });
      if (drawn !== undefined && mistaken !== undefined) {
        const report = { call, mistake: drawn.mistake, note: mistaken.note };
        made.push(report);
        onMistake?.(report);
      }
      const reply = mistaken?.reply ?? right;
      for (const part of reply.content) {
        if (part.type === 'text' || part.type === 'reasoning') {
          onDelta?.({ type: part.type, text: part.text });
        }
      }
      return reply;
    },
  };
}

type Likelihood = (typeof makers)[number] & { readonly rate: number };

function readRates(given: FaultyModelOptions['rates']): readonly Likelihood[] {
  const rates = makers.map((maker) => ({
    ...maker,
    rate: typeof given === 'number' ? given / makers.length : (given[maker.mistake] ?? 0),
  }));
  const sum = rates.reduce((total, { rate }) => total + rate, 0);
  // A little over 1 is what adding tenths gives.
  if (!rates.every(({ rate }) => rate >= 0) || !(sum <= 1 + 1e-9)) {
    throw new ForgeError(
      'invalid_options',
      `The rates of mistakes must be from 0 to 1, and at most 1 together. They add up to ${sum}.`,
    );
  }
  return rates;
}

function draw(rates: readonly Likelihood[], chance: number): Likelihood | undefined {
  let from = 0;
  for (const likelihood of rates) {
    from += likelihood.rate;
    if (chance < from) return likelihood;
  }
  return undefined;
}
