import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { createResults } from '../../results/index.ts';
import { showResult } from './show-result.ts';
import { shownDefinition } from './shown-definition.ts';

const results = createResults({ newNonce: () => 'n' });
const show = (result: CallToolResult) => showResult({ result, server: 's', results });
const textOf = async (result: CallToolResult) => {
  const [first] = (await show(result)).content;
  return first?.type === 'text' ? first.text.split('\n').slice(2, -1).join('\n') : '';
};

describe('showResult', () => {
  it('marks text as coming from outside, and makes it harmless', async () => {
    const [part] = (await show({ content: [{ type: 'text', text: '\u001b]0;evil\u0007hi' }] }))
      .content;
    assert.ok(part?.type === 'text');
    assert.match(part.text, /^<untrusted-n source="MCP server s">/);
    assert.match(part.text, /\nhi\n<\/untrusted-n>$/);
  });

  it('shows images, and says what it does not show', async () => {
    const image = (mimeType: string, data = 'AAAA') => ({ type: 'image' as const, mimeType, data });
    const { content } = await show({
      content: [
        image('image/png'),
        image('image/tiff'),
        image('image/png', 'A'.repeat(8_000_000)),
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource_link', name: 'n', uri: 'file:///a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
      ],
    });
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text', 'image'],
    );
    const said = JSON.stringify(content[0]);
    for (const expected of [
      'image/tiff',
      'more than 5 MB',
      'audio/wav, 3 bytes',
      'Link to n at',
      'inside',
      '3 bytes',
    ]) {
      assert.ok(said.includes(expected), expected);
    }
  });

  it('shows structured content once', async () => {
    const structuredContent = { b: 1, a: [2] };
    const said = { type: 'text' as const, text: '{"a": [2], "b": 1}' };
    assert.equal(await textOf({ content: [said], structuredContent }), said.text);
    const other = { type: 'text' as const, text: 'other' };
    assert.equal(await textOf({ content: [other], structuredContent }), 'other\n{"b":1,"a":[2]}');
  });

  it('throws what says that it is an error', async () => {
    const failing = show({ content: [{ type: 'text', text: 'no' }], isError: true });
    await assert.rejects(failing, {
      code: 'tool_failed',
      message:
        /^MCP server "s" says:\n<untrusted-n source="MCP server s">\n.*\nno\n<\/untrusted-n>$/,
    });
    const long = show({ content: [{ type: 'text', text: 'x'.repeat(9_000) }], isError: true });
    await assert.rejects(long, ({ message }) => /<\/untrusted-n>$/.test(message.slice(0, 1_900)));
    await assert.rejects(show({ content: [], isError: true }), /gave no reason/);
  });
});

describe('shownDefinition', () => {
  it('shows what is hidden in descriptions, and leaves values alone', () => {
    const hidden = 'a\u202eb';
    const { description, inputSchema } = shownDefinition('s', 's__t', {
      name: 't',
      description: hidden,
      inputSchema: {
        type: 'object',
        properties: { description: { type: 'string', description: hidden, enum: [hidden] } },
      },
    });
    assert.match(description, /^a<U\+202E>b\n/);
    assert.deepEqual(inputSchema, {
      type: 'object',
      properties: { description: { type: 'string', description: 'a<U+202E>b', enum: [hidden] } },
    });
  });
});
