import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rescueToolCalls } from '@forge/core';
import { callFormats } from './call-formats.ts';

const inputSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    exact: { type: 'boolean' },
    include: { type: 'array', items: { type: 'string' } },
  },
  required: ['city'],
};
const tools = [{ name: 'get_forecast', description: '', inputSchema }];
const args = { city: 'São Paulo', days: 3, exact: true, include: ['wind', 'rain'] };

describe('a call written as text', () => {
  for (const { name, write } of callFormats) {
    it(`is what the kernel reads back (${name})`, () => {
      const { calls } = rescueToolCalls(write({ name: 'get_forecast', args }), tools);
      assert.deepEqual(
        calls.map((call) => [call.name, call.args]),
        [['get_forecast', args]],
      );
    });
  }
});
