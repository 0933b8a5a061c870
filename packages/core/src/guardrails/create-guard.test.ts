import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentOptions } from '../agents/define-agent.ts';
import { defineAgent } from '../agents/define-agent.ts';
import { ForgeError } from '../errors.ts';
import { defineTool } from '../tools/define-tool.ts';

const tool = (
  name: string,
  prerequisites: Parameters<typeof defineTool>[0]['prerequisites'] = [],
) =>
  defineTool({
    name,
    description: name,
    input: { type: 'object', properties: { path: { type: 'string' } } },
    prerequisites,
    run: () => 'ok',
  });

function refused(options: Partial<AgentOptions>, pattern: RegExp) {
  assert.throws(
    () => defineAgent({ name: 'agent', tools: [tool('read'), tool('done')], ...options }),
    (error) => ForgeError.is(error, 'invalid_agent') && pattern.test(error.message),
  );
}

describe('a wrong definition is refused with the fix', () => {
  it('when a required step is not a tool', () => {
    refused({ requiredSteps: ['fetch'] }, /requiredSteps names "fetch".*read, done/);
  });
  it('when a terminal tool is not a tool', () => {
    refused({ terminalTools: ['finish'] }, /terminalTools names "finish"/);
  });
  it('when a terminal tool is a required step', () => {
    refused({ terminalTools: ['done'], requiredSteps: ['done'] }, /could never run.*requiredSteps/);
  });
  it('when two tools have one name', () => {
    refused({ tools: [tool('read'), tool('read')] }, /two tools called "read".*Rename/);
  });
  it('when a prerequisite is not a tool', () => {
    refused({ tools: [tool('write', ['read'])] }, /Tool "write": prerequisites names "read"/);
  });
  it('when a prerequisite matches on an argument that is not there', () => {
    refused(
      { tools: [tool('read'), tool('write', [{ tool: 'read', match: 'file' }])] },
      /match on "file", which is not an argument of write/,
    );
  });
  it('when prerequisites wait for each other', () => {
    refused(
      { tools: [tool('a', ['b']), tool('b', ['c']), tool('c', ['a'])] },
      /circle: a → b → c → a/,
    );
  });
  it('when a limit is unknown or impossible', () => {
    refused({ limits: { turns: 0 } }, /limits.turns must be a number of at least 1/);
    refused({ limits: { retries: Number.NaN } }, /limits.retries/);
    refused({ limits: JSON.parse('{"steps": 3}') }, /limits has no "steps".*turns/);
  });
  it('when a switch is unknown', () => {
    refused({ guardrails: JSON.parse('{"rescues": false}') }, /no switch "rescues".*rescue/);
  });
  it('when the agent has no name', () => {
    refused({ name: ' ' }, /needs a name/);
  });
});
