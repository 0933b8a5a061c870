import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelError } from '../wire/model-error.ts';
import {
  smallBounds,
  toolsInPrompt,
  withoutForcedCall,
  withoutReasoning,
  withoutReplay,
} from './with-concessions.ts';

const all = [smallBounds, toolsInPrompt, withoutForcedCall, withoutReasoning, withoutReplay];

function refusedBy(concession: typeof toolsInPrompt, message: string): boolean {
  return concession.refusedBy(new ModelError({ kind: 'bad_request', message }));
}

describe('what servers say when something has to go', () => {
  const cases = [
    [toolsInPrompt, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
    [toolsInPrompt, 'tools param requires --jinja flag'],
    [toolsInPrompt, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'],
    [toolsInPrompt, 'No endpoints found that support tool use.'],
    [toolsInPrompt, '`tool calling` is not supported with this model'],
    [smallBounds, 'Failed to initialize samplers: failed to parse grammar'],
    [withoutForcedCall, 'Thinking may not be enabled when tool_choice forces tool use.'],
    [withoutReasoning, '"llama3.1:8b" does not support thinking'],
    [withoutReplay, "'messages.2' : property 'reasoning_content' is unsupported"],
    [withoutReplay, 'messages[1].reasoning: reasoning is not supported with this model'],
  ] as const;
  for (const [concession, message] of cases) {
    it(`${concession.name}: ${message}`, () => {
      assert.deepEqual(
        all.filter((one) => refusedBy(one, message)),
        [concession],
      );
    });
  }

  it('is not taken from other errors', () => {
    for (const message of [
      'The reasoning_content in the thinking mode must be passed back to the API.',
      'Invalid schema for function get_weather',
      'tool_call_id not found',
    ]) {
      for (const one of all) {
        assert.equal(refusedBy(one, message), false, message);
      }
    }
  });
});
