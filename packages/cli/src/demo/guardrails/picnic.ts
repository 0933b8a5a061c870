import { type Agent, defineAgent, defineTool, type Switches } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';

export const request =
  "Plan Friday's picnic in Oslo: check the weather and the site, then file the plan.";

/** An agent with an order to keep: two steps before the tool that ends the run. */
export function picnicAgent(guardrails: Partial<Switches> = {}): Agent {
  let inspections = 0;
  const getForecast = defineTool({
    name: 'get_forecast',
    description: 'Weather forecast for a city',
    input: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city', 'days'],
    },
    run: ({ city, days }) => ({ city, days, friday: 'sunny, 19 °C' }),
  });
  const checkSite = defineTool({
    name: 'check_site',
    description: 'Is a picnic site free on a day?',
    input: {
      type: 'object',
      properties: {
        site: { type: 'string' },
        day: { type: 'string', enum: ['thu', 'fri', 'sat'] },
      },
      required: ['site', 'day'],
    },
    run: ({ site, day }) => {
      inspections += 1;
      if (inspections === 1) throw new Error('booking service timed out');
      return { site, day, free: true };
    },
  });
  const filePlan = defineTool({
    name: 'file_plan',
    description: 'File the plan. Ends the work.',
    input: {
      type: 'object',
      properties: { go: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['go', 'reason'],
    },
    run: () => 'plan filed',
  });
  return defineAgent({
    name: 'picnic-planner',
    instructions: 'Plan outings. Use the tools.',
    tools: [getForecast, checkSite, filePlan],
    requiredSteps: ['get_forecast', 'check_site'],
    terminalTools: ['file_plan'],
    guardrails,
  });
}

/** A model that makes the mistakes small models make, one after the other. */
export function clumsyModel(): ScriptedModel {
  return new ScriptedModel([
    'Sure! A picnic sounds lovely. I will look at the weather first.',
    '```json\n{"name": "weather_forecast", "arguments": {"city": "Oslo"}}\n```',
    '<think>get_forecast, then.</think><tool_call>\n{"name": "get_forecast", "arguments": {"city": "Oslo", "days": "3",}}\n</tool_call>',
    calls(['file_plan', '{"go": true, "reason": "sunny"}', 'call_a']),
    calls(['check_site', '{"site": "Ekeberg", "day": "Friday"}', 'call_b']),
    calls(['check_site', '{"site": "Ekeberg", "day": "fri"}', 'call_c']),
    'The service failed, I try once more.\n[check_site(site="Ekeberg", day="fri")]',
    '<function=file_plan>\n<parameter=go>\ntrue\n</parameter>\n<parameter=reason>\nSunny, 19 °C, and Ekeberg is free.\n</parameter>\n</function>',
  ]);
}
