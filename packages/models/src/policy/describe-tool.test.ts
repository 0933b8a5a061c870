import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeTool } from './describe-tool.ts';

it('describeTool says what plain arguments are in words', () => {
  const told = describeTool({
    name: 'switch_light',
    description: 'Turns a light on or off.',
    inputSchema: {
      type: 'object',
      properties: {
        room: { type: 'string', description: 'The room' },
        state: { type: 'string', enum: ['on', 'off'] },
        level: { type: 'integer', minimum: 1 },
        at: true,
      },
      required: ['room', 'state'],
    },
  });
  assert.equal(
    told,
    `## switch_light
Turns a light on or off.
- room (string): The room
- state ("on" | "off")
- level ({"type":"integer","minimum":1}, optional)
- at (true, optional)`,
  );
});

it('describeTool shows the schema of what is not plain, and nothing where there is nothing', () => {
  const inputSchema = { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } };
  const told = describeTool({ name: 'a', description: '', inputSchema });
  assert.equal(told, `## a\nArguments, as JSON Schema: ${JSON.stringify(inputSchema)}`);
  assert.equal(
    describeTool({ name: 'a', description: '', inputSchema: { type: 'object' } }),
    '## a',
  );
  assert.match(describeTool({ name: 'a', description: '', inputSchema: true }), /Schema: true/);
});
