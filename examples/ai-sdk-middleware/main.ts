// Guardrails for any Vercel AI SDK model. Run it: npx node examples/ai-sdk-middleware/main.ts
import { guardrailsMiddleware } from '@forge/core/ai-sdk';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as z from 'zod';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};
const says = (text: string) => ({
  content: [{ type: 'text' as const, text }],
  finishReason: { unified: 'stop' as const, raw: 'stop' },
  usage,
  warnings: [],
});

// The SDK's own mock, so that the example runs anywhere: it writes its call as text, misnamed.
const local = new MockLanguageModelV4({
  doGenerate: [
    says('<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>'),
    says(
      '<tool_call>{"name": "get_forecast", "arguments": {"city": "Oslo", "days": "2"}}</tool_call>',
    ),
    says('Take an umbrella.'),
  ],
});

const result = await generateText({
  model: wrapLanguageModel({ model: local, middleware: guardrailsMiddleware() }),
  prompt: 'Do I need an umbrella in Oslo?',
  stopWhen: isStepCount(5),
  tools: {
    get_forecast: tool({
      description: 'Weather forecast for a city',
      inputSchema: z.object({ city: z.string(), days: z.int() }),
      execute: ({ city, days }) => `${city}, ${days} days: light rain`,
    }),
  },
});

for (const step of result.steps) {
  for (const call of step.toolCalls)
    console.log('called:', call.toolName, JSON.stringify(call.input));
  if (step.providerMetadata?.forge)
    console.log('forge:', JSON.stringify(step.providerMetadata.forge));
}
console.log('answer:', result.text);
