import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentContracts, checkPipeline, defaultPipeline, planPipeline } from '@forge/pipeline';
import { plannedSteps } from './planned-steps.ts';

describe('the steps that are still to come', () => {
  it('are those of the pipeline that nothing was begun of', () => {
    const pipeline = checkPipeline(
      defaultPipeline({ maxReviewRounds: 3, maxDeployAttempts: 2, parallel: 2, deploys: true }),
      agentContracts(),
    );
    const input = [JSON.stringify({ request: 'x', commit: 'a'.repeat(40), deploy: true })];
    const before = plannedSteps(pipeline, { input, calls: [] });
    assert.ok(before.length > 3);
    assert.ok(before.every(({ status }) => status === 'pending'));
    const step = planPipeline(pipeline)({ input, calls: [] });
    assert.equal(step.type, 'call');
    const [first] = step.type === 'call' ? step.calls : [];
    assert.ok(first);
    const call = { ...first, status: 'open', text: '' } as const;
    const after = plannedSteps(pipeline, { input, calls: [call] });
    assert.equal(
      after.some(({ name }) => name === first.name),
      false,
    );
    assert.equal(after.length, before.length - 1);
  });
});
