import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Agent, defineAgent, defineProgram } from '@forge/core';
import type { RunRow } from '@forge/store';
import { settingsSchema } from '../settings/settings-schema.ts';
import { createVoices, modelLabel } from './voices.ts';

const coder = defineAgent({ name: 'shop/coder', taskType: 'coding' });
const run = (id: string, labels: Record<string, string> = {}) => ({ id, labels }) as RunRow;
const voices = (settings: object, variables: Record<string, string> = {}) =>
  createVoices({
    settings: settingsSchema.parse(settings),
    variable: (name) => variables[name],
    root: '/project',
  });
const modelOf = (of: ReturnType<typeof voices>, agent: Agent, row: RunRow) =>
  of.modelOf(agent, row).id;

describe('the model of a run', () => {
  const model = 'ollama:a';

  it('is that of the project', () => {
    assert.equal(modelOf(voices({ model }), coder, run('1')), 'ollama:a');
  });

  it('is that of its agent where it names one, and that of the command line over all', () => {
    const own = voices({ model, agents: { coder: { model: 'ollama:b' } } });
    assert.equal(modelOf(own, coder, run('1')), 'ollama:b');
    assert.equal(modelOf(own, coder, run('1', { [modelLabel]: 'ollama:c' })), 'ollama:c');
  });

  it('is that of a profile for the coding agent, over the project and under the command line', () => {
    const agent = defineAgent({ name: 'shop/agent', taskType: 'coding' });
    const sent = createVoices({
      settings: settingsSchema.parse({ model, agents: { agent: { model: 'ollama:b' } } }),
      variable: () => undefined,
      root: '/project',
      profileModel: 'ollama:p',
    });
    assert.equal(modelOf(sent, agent, run('1')), 'ollama:p');
    assert.equal(modelOf(sent, agent, run('1', { [modelLabel]: 'ollama:c' })), 'ollama:c');
    assert.equal(modelOf(sent, coder, run('1')), 'ollama:a');
  });

  it('follows the weights of its kind of work, the same each time, and says why', () => {
    const weighed = voices({ model, router: { weights: { coding: { 'ollama:b': 1 } } } });
    const { id, chosen } = weighed.modelOf(coder, run('1'));
    assert.equal(id, 'ollama:b');
    assert.equal(chosen?.reason, 'weights');
    assert.deepEqual(chosen?.weights, { 'ollama:b': 1 });
    assert.deepEqual(weighed.modelOf(coder, run('1')).chosen, chosen);
  });

  it('is never one whose key is missing', () => {
    const weights = { coding: { 'openai:x': 1000, 'ollama:b': 1 } };
    assert.equal(modelOf(voices({ router: { weights } }), coder, run('1')), 'ollama:b');
    const keyed = voices({ router: { weights } }, { OPENAI_API_KEY: 'k' });
    assert.equal(modelOf(keyed, coder, run('1')), 'openai:x');
  });

  it('is asked for before anything begins', () => {
    assert.throws(() => voices({}).check([coder]), /No model is configured for coding/);
    assert.throws(() => voices({ model: 'openai:x' }).check([coder]), /set OPENAI_API_KEY/);
    assert.throws(() => voices({ model }).check([coder], 'nobody:x'), /no known provider/);
    voices({ model }).check([coder]);
    const program = () => ({ type: 'finish', output: '' }) as const;
    voices({}).check([defineProgram({ name: 'shop/merger', tools: [], program })]);
  });
});
