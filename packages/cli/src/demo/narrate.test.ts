import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, RunEvent } from '@forge/core';
import { narrator } from './narrate.ts';
import { storyPlan } from './story/story-text.ts';

const commit = 'a'.repeat(40);

function finished(name: string, value: JsonValue, outcome: 'ok' | 'error' = 'ok'): RunEvent {
  return {
    v: 1,
    runId: 'r',
    seq: 1,
    at: 0,
    type: 'tool.finished',
    callId: `${name}#1.1`,
    name,
    outcome,
    content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  };
}

const tell = (narrate: ReturnType<typeof narrator>, event: RunEvent) =>
  narrate(event).map(({ label, text }) => `${label.trim()}: ${text}`);
const told = (event: RunEvent) => tell(narrator(), event);

describe('the story of a pipeline', () => {
  it('is made of what its nodes hand on', () => {
    assert.match(
      told(finished('plan', JSON.stringify(storyPlan))).join(),
      /^planned: 2 tasks: .*4 acceptance checks$/,
    );
    const code = { commit, summary: 'Done.', files: ['a.js'], checks: [] };
    assert.deepEqual(told(finished('code', code)), [
      'coded: aaaaaaaa Done. (1 file, 0 of 0 checks passed)',
    ]);
    const review = {
      verdict: 'fail',
      summary: 'No.',
      findings: [{ severity: 'high', file: 'a.js', line: 3, message: 'Wrong.' }],
      checks: [],
      commit,
    };
    assert.deepEqual(told(finished('review', review)), ['sent back: No.', 'high: a.js:3 Wrong.']);
    const verification = {
      verdict: 'fail',
      summary: '',
      deploymentId: 'd',
      healthy: true,
      tests: [],
      problems: ['redirect: 500'],
    };
    assert.deepEqual(told(finished('verify', verification)), ['not verified: redirect: 500']);
    const published = { branch: 'forge/a', commit };
    assert.deepEqual(told(finished('publish', published)), [
      'published: aaaaaaaa as branch forge/a',
    ]);
  });

  it('shows each request that verified a deployment, with what came back', () => {
    const request = { method: 'POST', path: '/links', status: 201 };
    const verification = {
      verdict: 'pass',
      summary: '',
      deploymentId: 'd',
      healthy: true,
      tests: [{ acceptance: 'a', passed: true, request, got: '/links answered 201' }],
      problems: [],
    };
    assert.deepEqual(told(finished('verify', verification)), [
      'verified: 1 request to the deployed service',
      ': POST /links answered 201',
    ]);
  });

  it('calls deployments by their commits', () => {
    const narrate = narrator(new Map([['d1', 'b'.repeat(40)]]));
    const deployment = {
      deploymentId: 'd2',
      target: 'process',
      commit,
      digest: 'x',
      url: 'http://a',
    };
    assert.deepEqual(tell(narrate, finished('deploy', deployment)), [
      'deployed: aaaaaaaa at http://a',
    ]);
    const rollback = { status: 'rolled_back', from: 'd2', to: 'd1', reason: '', problems: [] };
    assert.deepEqual(tell(narrate, finished('rollback', rollback)), [
      'rolled back: aaaaaaaa gave the traffic back to bbbbbbbb',
    ]);
    const withdrawal = { status: 'withdrawn', from: 'd2', reason: '', problems: [] };
    assert.deepEqual(tell(narrate, finished('rollback', withdrawal)), ['withdrawn: aaaaaaaa']);
  });

  it('tells of failures, and says nothing of what it cannot read', () => {
    assert.deepEqual(told(finished('deploy', '[ToolError] no port', 'error')), [
      'deploy: [ToolError] no port',
    ]);
    assert.deepEqual(told(finished('review', 'not JSON')), []);
    assert.deepEqual(told(finished('another', {})), []);
  });
});
