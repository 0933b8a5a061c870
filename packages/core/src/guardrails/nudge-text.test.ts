import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nudgeText } from './nudge-text.ts';
import type { Problem, Tone } from './problem.ts';

describe('nudgeText', () => {
  it('quotes the failing path and shows one right call', () => {
    const problem: Problem = {
      kind: 'bad_arguments',
      tool: 'get_forecast',
      issues: [{ path: ['days'], keyword: 'type', message: 'must be an integer, got "three"' }],
      example: { city: 'Oslo', days: 3 },
    };
    assert.equal(
      nudgeText(problem, 1),
      '[ToolArgValidationError] get_forecast was not run, its arguments do not fit. ' +
        'days: must be an integer, got "three". A right call: get_forecast({"city":"Oslo","days":3})',
    );
  });

  it('names the closest tools and all tools', () => {
    const problem: Problem = {
      kind: 'unknown_tool',
      tool: 'weather',
      nearest: ['get_weather'],
      known: ['get_weather', 'ping'],
    };
    assert.equal(
      nudgeText(problem, 1),
      '[UnknownTool] There is no tool "weather". Did you mean get_weather? The tools are: get_weather, ping.',
    );
  });

  it('speaks in three tones, the last one a command', () => {
    const problem: Problem = { kind: 'steps_missing', tool: 'report', missing: ['fetch', 'check'] };
    const tones: Tone[] = [1, 2, 3];
    const [polite, direct, command] = tones.map((tone) => nudgeText(problem, tone));
    assert.equal(
      polite,
      '[StepEnforcementError] You cannot call report yet. Please call fetch and check first.',
    );
    assert.equal(
      direct,
      '[StepEnforcementError] You must call fetch and check before you call report. Do that now.',
    );
    assert.match(
      command ?? '',
      /^\[StepEnforcementError\] STOP\. You MUST call fetch and check next\./,
    );
  });

  it('names the value a prerequisite has to match', () => {
    const problem: Problem = {
      kind: 'prerequisite_missing',
      tool: 'write_file',
      needs: 'read_file',
      match: { argument: 'path', value: 'a.txt' },
    };
    assert.match(nudgeText(problem, 1), /write_file needs read_file with path = "a.txt" first/);
  });

  it('has something to say about every problem in every tone', () => {
    const problems: Problem[] = [
      { kind: 'empty_reply' },
      { kind: 'cut_off' },
      { kind: 'cut_off', tool: 'x' },
      { kind: 'too_many_calls', count: 100, most: 64 },
      { kind: 'no_call', wanted: ['x', 'y'] },
      { kind: 'unusable_call', tool: 'x', reason: 'placeholder argument', example: {} },
      { kind: 'loop', tools: ['x'] },
    ];
    for (const problem of problems) {
      for (const tone of [1, 2, 3] as const)
        assert.match(nudgeText(problem, tone), /^\[\w+\] .{20,}/);
    }
  });
});
