import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool } from '../tools/define-tool.ts';
import { chooseTools } from './choose-tools.ts';
import { createGuard } from './create-guard.ts';
import { freshProgress } from './progress.ts';

const tools = [defineTool({ name: 'look', description: '', input: { type: 'object' } })];

describe('chooseTools', () => {
  it('asks for a call only after a refusal, and only where nothing else will do', () => {
    const steps = createGuard({ tools, requiredSteps: ['look'] });
    const refused = { ...freshProgress, premature: 1 };
    assert.equal(chooseTools(steps, freshProgress), 'auto');
    assert.equal(chooseTools(steps, refused), 'required');
    assert.equal(chooseTools(steps, { ...refused, facts: ['look'] }), 'auto');
    assert.equal(chooseTools(createGuard({ tools }), { ...freshProgress, retries: 1 }), 'auto');
    assert.equal(
      chooseTools(createGuard({ tools, terminalTools: ['look'] }), {
        ...freshProgress,
        retries: 1,
      }),
      'required',
    );
  });

  it('leaves a choice of the agent as it is', () => {
    const guard = createGuard({ tools, requiredSteps: ['look'], toolChoice: { tool: 'look' } });
    assert.deepEqual(chooseTools(guard, { ...freshProgress, premature: 1 }), { tool: 'look' });
  });
});
