// The smallest agent: one tool, one question. Run it: npx node examples/minimal-agent/main.ts
import { defineAgent, defineTool, run } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';
import * as z from 'zod';

const forecast = defineTool({
  name: 'get_forecast',
  description: 'Weather forecast for a city',
  input: z.object({ city: z.string(), days: z.int().min(1).default(1) }),
  run: ({ city, days }) => `${city}, next ${days} day(s): light rain, 12 °C`,
});

const agent = defineAgent({
  name: 'weather',
  instructions: 'Answer questions about the weather. Use the tools.',
  tools: [forecast],
});

// A scripted model, so that the example runs anywhere. Any `Model` goes here.
const model = new ScriptedModel([
  calls(['get_forecast', { city: 'Oslo' }]),
  'Take an umbrella: light rain, 12 °C.',
]);

const result = await run(agent, 'Do I need an umbrella in Oslo?', {
  model,
  onEvent: (event) => console.log(event.seq, event.type),
});

console.log(result.status, '-', result.output?.text);
