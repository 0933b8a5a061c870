// The parts on their own, for a loop that wants only some of them.
// Run it: npx node examples/foreign-loop/parts.ts
import { checkArguments, compileSchema, nearestNames, rescueToolCalls } from '@forge/core';

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};

const { calls, content } = rescueToolCalls(
  'Let me look.\n<tool_call>{"name": "get_forecast", "arguments": {"city": "Oslo", "days": "3"}}</tool_call>',
  [{ name: 'get_forecast', inputSchema }],
);
console.log(
  'rescued:',
  calls[0]?.name,
  JSON.stringify(calls[0]?.args),
  `(${calls[0]?.format})`,
  '| text:',
  content,
);

const checked = checkArguments(compileSchema(inputSchema), { days: 'soon' });
if (!checked.ok)
  for (const issue of checked.issues)
    console.log('issue:', issue.path.join('.') || '(root)', issue.message);

console.log('did you mean:', nearestNames('getForcast', ['get_forecast', 'send_email']).join(', '));
