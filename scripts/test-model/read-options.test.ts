import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readOptions } from './read-options.ts';

const known = { engines: ['embedded', 'llama-server'], conditions: ['off', 'on'] };
const read = (...args: string[]) => readOptions(args, known);

describe('the options of the model test', () => {
  it('default to everything, three times', () => {
    const options = read();
    assert.ok('rounds' in options);
    assert.deepEqual(
      [options.engines, options.conditions, options.rounds],
      [known.engines, known.conditions, 3],
    );
  });

  it('say what they take when they are wrong, and exit with 2', () => {
    for (const args of [
      ['--jsn'],
      ['--engine', 'vllm'],
      ['--rounds', 'many'],
      ['--threads', '0'],
    ]) {
      const told = read(...args);
      assert.ok(
        'say' in told && told.exitCode === 2 && /--engine NAME/.test(told.say),
        args.join(' '),
      );
    }
  });

  it('print the help when asked', () => {
    const told = read('--help');
    assert.ok('say' in told && told.exitCode === 0);
  });
});
