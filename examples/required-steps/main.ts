// An order to keep: the report may be filed only after both sources were read, and a file may be
// written only after that very file was read. Run it: npx node examples/required-steps/main.ts
import { defineAgent, defineTool, run } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';
import * as z from 'zod';

const readSales = defineTool({
  name: 'read_sales',
  description: 'Sales of a quarter',
  input: z.object({ quarter: z.int().min(1).max(4) }),
  run: ({ quarter }) => ({ quarter, total: 1_200 }),
});

const readFile = defineTool({
  name: 'read_file',
  description: 'Read a file',
  input: z.object({ path: z.string() }),
  run: ({ path }) => `contents of ${path}`,
});

const writeFile = defineTool({
  name: 'write_file',
  description: 'Write a file',
  input: z.object({ path: z.string(), content: z.string() }),
  prerequisites: [{ tool: 'read_file', match: 'path' }],
  run: ({ path }) => `wrote ${path}`,
});

const fileReport = defineTool({
  name: 'file_report',
  description: 'File the report. Ends the work.',
  input: z.object({ summary: z.string() }),
  run: () => 'filed',
});

const agent = defineAgent({
  name: 'reporter',
  instructions: 'Write the quarterly report.',
  tools: [readSales, readFile, writeFile, fileReport],
  requiredSteps: ['read_sales', 'write_file'],
  terminalTools: ['file_report'],
});

// This model wants to be done early. The guardrails bring it to the end all the same.
const model = new ScriptedModel([
  calls(['file_report', { summary: 'All is well.' }]),
  calls(['read_sales', { quarter: 1 }], ['write_file', { path: 'q1.md', content: '1200' }]),
  calls(['read_sales', { quarter: 1 }]),
  calls(['read_file', { path: 'q1.md' }], ['write_file', { path: 'q1.md', content: '1200' }]),
  calls(['file_report', { summary: 'Q1: 1200.' }]),
]);

const result = await run(agent, 'Report on Q1.', { model });

for (const event of result.events) {
  if (event.type === 'reply.refused')
    console.log('refused:', event.problems.map((p) => p.kind).join(', '));
  if (event.type === 'tool.finished') console.log('ran:', event.name);
}
console.log(result.status, '-', result.output?.call?.args.summary);
