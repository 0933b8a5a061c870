import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelLine, sandboxLines } from './opening.ts';

const without = { variable: () => undefined };

describe('the opening of the demo', () => {
  it('says that a script speaks, and how to have a model', () => {
    const { label, text } = modelLine(undefined, without);
    assert.equal(label, 'scripted model');
    assert.match(text, /^No model was named.* forge demo --model ollama:NAME$/);
  });

  it('points at the provider whose key is there, without the key', () => {
    const variable = (name: string) => (name === 'ANTHROPIC_API_KEY' ? 'sk-ant-secret' : undefined);
    const { text } = modelLine(undefined, { variable });
    assert.match(text, /ANTHROPIC_API_KEY is set\..* --model anthropic:NAME$/);
    assert.ok(!text.includes('secret'));
  });

  it('names the model that speaks', () => {
    assert.equal(modelLine('ollama:qwen3:8b', without).text, 'ollama:qwen3:8b');
  });

  it('says loudly that nothing holds the commands, and why', () => {
    assert.deepEqual(
      sandboxLines({ backend: 'bubblewrap', node: 'node', problems: [] }).map(({ text }) => text),
      ['bubblewrap'],
    );
    const problems = ['bubblewrap: not installed.', 'docker: does not answer.'];
    const lines = sandboxLines({ backend: 'process', node: 'node', problems });
    assert.equal(lines[0]?.label, 'NO SANDBOX');
    assert.deepEqual(
      lines.slice(1).map(({ text }) => text),
      problems,
    );
  });
});
