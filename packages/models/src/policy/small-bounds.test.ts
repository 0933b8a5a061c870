import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ModelRequest } from '@forge/core';
import fc from 'fast-check';
import { toClient } from '../client/model-client.ts';
import { ModelError } from '../wire/model-error.ts';
import { withSmallBounds } from './small-bounds.ts';
import { smallBounds, withConcessions } from './with-concessions.ts';

const requestWith = (inputSchema: object): ModelRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }],
  tools: [{ name: 'write', description: '', inputSchema: { ...inputSchema } }],
  toolChoice: 'auto',
});

const large = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 100_000 },
    maxLength: { type: 'integer', maximum: 100_000, default: 100_000 },
    list: { type: 'array', maxItems: 20, items: { anyOf: [{ type: 'string', maxLength: 2_000 }] } },
  },
  examples: [{ maxLength: 9_999 }],
};

describe('withSmallBounds', () => {
  it('leaves out what no grammar can count to, and nothing else', () => {
    const [tool] = withSmallBounds(requestWith(large)).tools;
    assert.deepEqual(tool?.inputSchema, {
      ...large,
      properties: {
        ...large.properties,
        text: { type: 'string', minLength: 1 },
        list: { type: 'array', maxItems: 20, items: { anyOf: [{ type: 'string' }] } },
      },
    });
  });

  it('takes them out of the shape of an answer too', () => {
    const responseFormat = { type: 'json_schema', schema: { maxItems: 5_000 } } as const;
    const relaxed = withSmallBounds({ ...requestWith({}), responseFormat });
    assert.deepEqual(relaxed.responseFormat, { type: 'json_schema', schema: {} });
  });

  it('gives the same request back where there is nothing to take out, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
        const once = withSmallBounds(requestWith(schema));
        assert.equal(withSmallBounds(once), once);
      }),
    );
  });
});

describe('a server that makes grammars', () => {
  it('is asked again without them, and from then on', async () => {
    const asked: ModelRequest[] = [];
    const client = toClient({
      id: 'm',
      async reply(request) {
        asked.push(request);
        const schema = JSON.stringify(request.tools);
        if (!schema.includes('100000}')) {
          return { content: [{ type: 'text', text: 'Hi.' }], finish: 'stop', extra: {} };
        }
        const message = 'Failed to initialize samplers: failed to parse grammar';
        throw new ModelError({ kind: 'bad_request', status: 400, message });
      },
      stream: () => assert.fail('It is not asked for a stream.'),
      contextLength: async () => undefined,
    });
    const events: string[] = [];
    const willing = withConcessions(client, {
      concessions: [smallBounds],
      onEvent: (event) => events.push(event.type === 'conceded' ? event.concession : event.type),
    });
    const { signal } = new AbortController();
    const request = requestWith({ properties: { text: { maxLength: 100_000 } } });
    await willing.reply(request, { signal });
    await willing.reply(request, { signal });
    assert.equal(asked.length, 3);
    assert.deepEqual(asked[2]?.tools[0]?.inputSchema, { properties: { text: {} } });
    assert.deepEqual(events, ['small-bounds']);
  });
});
