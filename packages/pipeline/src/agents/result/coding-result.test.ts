import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { initialState, type RunState } from '@forge/core';
import type { RunView } from '@forge/runtime';
import type { RunRow } from '@forge/store';
import { builtinProfiles } from '../profiles/profile.ts';
import { codingResult, exitCodeOf, type ResultState } from './coding-result.ts';

const run: RunRow = {
  id: 'r1',
  agent: 'agent',
  title: undefined,
  tenant: undefined,
  priority: 0,
  parentId: undefined,
  parentCallId: undefined,
  rootId: 'r1',
  labels: {},
  state: 'completed',
  seq: 9,
  fence: 1,
  leaseOwner: undefined,
  leaseUntil: undefined,
  wakeAt: undefined,
  strikes: 0,
  turns: 3,
  usage: { inputTokens: 100, outputTokens: 20 },
  cost: 0.5,
  reason: 'terminal_tool',
  explanation: 'A terminal tool succeeded.',
  createdAt: Date.UTC(2026, 0, 1),
  updatedAt: Date.UTC(2026, 0, 1),
  finishedAt: Date.UTC(2026, 0, 1) + 12_500,
};
const code = {
  commit: 'a'.repeat(40),
  summary: 'Did it.',
  files: ['a.txt'],
  checks: [{ command: 'npm test', passed: true, exitCode: 0, output: '' }],
  branch: 'forge/do-it',
};
const state: RunState = {
  ...initialState,
  turn: 3,
  usage: { ...initialState.usage, inputTokens: 100, outputTokens: 20, cost: 0.5 },
  output: { text: JSON.stringify(code) },
};

function resultOf(view: Partial<RunView>, options: object = {}) {
  const whole: RunView = { run, state, status: 'completed', ...view };
  return codingResult({ view: whole, task: 'Do it.', repoPath: '/repo', ...options });
}

describe('the result of a coding agent', () => {
  it('has the shape of agent-forge-run-result-v1, and what is new below it', () => {
    const profile = builtinProfiles[2];
    assert.deepEqual(resultOf({}, { profile, folder: '/runs/r1' }), {
      schema_version: 'agent-forge-run-result-v1',
      run_id: 'r1',
      state: 'completed',
      task: 'Do it.',
      repo_path: '/repo',
      iterations: 3,
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:12.500Z',
      duration_seconds: 12.5,
      error: null,
      total_tokens: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      artifacts: {
        run_dir: '/runs/r1',
        run_json: '/runs/r1/run.json',
        messages_jsonl: '/runs/r1/messages.jsonl',
        events_jsonl: '/runs/r1/events.jsonl',
        summary_json: '/runs/r1/summary.json',
      },
      profile: {
        id: 'thorough',
        name: 'Thorough',
        description: 'Looks longer before it acts, and checks more.',
      },
      summary: 'Did it.',
      branch: 'forge/do-it',
      commit: 'a'.repeat(40),
      files: ['a.txt'],
      checks: code.checks,
      cost_usd: 0.5,
    });
  });

  it('has no profile and no folder where there is none', () => {
    const result = resultOf({});
    assert.ok(!('profile' in result));
    assert.equal(result.artifacts.run_dir, null);
  });

  const failed = (reason: string, explanation: string): Partial<RunView> => ({
    run: { ...run, state: 'failed', reason, explanation },
    status: 'failed',
    state: { ...state, output: undefined },
  });

  it('says which limit ended it', () => {
    const turns = resultOf(failed('turn_limit', 'The run used all of its 25 turns.'));
    assert.equal(turns.state, 'timeout');
    assert.equal(turns.error, 'Max iterations reached. The run used all of its 25 turns.');
    assert.match(resultOf(failed('token_limit', 'x')).error ?? '', /^Token budget exceeded/);
    assert.deepEqual([turns.commit, turns.files, turns.branch], [null, [], null]);
  });

  it('says why it failed', () => {
    const result = resultOf(failed('loop', 'It went in circles.'));
    assert.deepEqual([result.state, result.error], ['failed', 'It went in circles.']);
    const dead = { run: { ...run, state: 'dead' as const }, status: 'thinking' as const };
    assert.equal(resultOf(dead).state, 'failed');
  });

  it('is of an unfinished run, too', () => {
    const open = { ...run, state: 'open' as const, finishedAt: undefined, reason: undefined };
    const states = (['new', 'acting', 'paused', 'waiting_for_approval'] as const).map((status) => {
      const result = resultOf({ run: open, status });
      assert.deepEqual([result.completed_at, result.error], [null, null]);
      return result.state;
    });
    assert.deepEqual(states, ['pending', 'running', 'paused', 'awaiting_approval']);
  });

  it('is a success for the shell only if the work was completed', () => {
    const codes: Record<ResultState, number> = {
      completed: 0,
      failed: 1,
      timeout: 1,
      cancelled: 1,
      paused: 1,
      pending: 1,
      running: 1,
      awaiting_approval: 1,
    };
    for (const [name, code] of Object.entries(codes)) {
      assert.equal(exitCodeOf(name as ResultState), code);
    }
  });
});
