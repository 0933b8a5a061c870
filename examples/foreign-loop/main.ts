// Your own loop against any OpenAI-compatible server, with Forge's guardrails in the middle.
// Run it: npx node examples/foreign-loop/main.ts http://127.0.0.1:8080/v1 "Will it rain in Oslo?"
import {
  type AssistantMessage,
  createGuardrails,
  defineTool,
  type Message,
  textOf,
} from '@forge/core';
import * as z from 'zod';

const forecast = defineTool({
  name: 'get_forecast',
  description: 'Weather forecast for a city',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `${city}: light rain, 12 °C`,
});
const tools = [forecast];

/** As much of the wire's reply as this loop needs. */
const replySchema = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullish(),
        tool_calls: z
          .array(
            z.object({
              id: z.string(),
              function: z.object({ name: z.string(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
    }),
  ]),
});

const [baseUrl = 'http://127.0.0.1:8080/v1', question = 'Will it rain in Oslo?'] =
  process.argv.slice(2);
const guardrails = createGuardrails({ tools, requiredSteps: ['get_forecast'] });
const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: question }] }];

for (;;) {
  const verdict = guardrails.check(await ask(messages));
  if (verdict.kind === 'answer') {
    console.log('answer:', verdict.text);
    break;
  }
  if (verdict.kind === 'fatal') {
    console.error('gave up:', verdict.explanation);
    process.exitCode = 1;
    break;
  }
  messages.push(verdict.message);
  if (verdict.kind === 'execute') {
    const results = [];
    for (const call of verdict.calls) {
      const output = String(await forecast.run?.(call.args, context(call.id)));
      console.log('ran:', call.name, JSON.stringify(call.args), `(${verdict.source})`);
      results.push({ id: call.id, outcome: 'ok' as const, output });
      messages.push({
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            callId: call.id,
            name: call.name,
            content: [{ type: 'text', text: output }],
          },
        ],
      });
    }
    guardrails.record(results);
  } else {
    console.log(`${verdict.kind}:`, verdict.problems.map((problem) => problem.kind).join(', '));
    messages.push(...verdict.nudges);
  }
}

function context(callId: string) {
  return { runId: 'example', callId, idempotencyKey: callId, signal: AbortSignal.timeout(10_000) };
}

/** One request in the wire format of OpenAI's chat completions. */
async function ask(history: readonly Message[]) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'any',
      messages: history.flatMap(toWire),
      tools: tools.map(({ spec }) => ({
        type: 'function',
        function: { name: spec.name, description: spec.description, parameters: spec.inputSchema },
      })),
    }),
  });
  const wire = replySchema.parse(await response.json());
  const [{ message }] = wire.choices;
  const content: AssistantMessage['content'] = [];
  if (message.content) content.push({ type: 'text', text: message.content });
  for (const call of message.tool_calls ?? []) {
    content.push({
      type: 'tool_call',
      id: call.id,
      name: call.function.name,
      args: call.function.arguments,
    });
  }
  return { content, finish: 'stop' as const };
}

function toWire(message: Message): object[] {
  if (message.role === 'tool') {
    return message.content.map((part) => ({
      role: 'tool',
      tool_call_id: part.callId,
      content: textOf(part),
    }));
  }
  if (message.role !== 'assistant') return [{ role: message.role, content: textOf(message) }];
  const calls = message.content.flatMap((part) =>
    part.type === 'tool_call'
      ? [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(part.args) },
          },
        ]
      : [],
  );
  return [
    { role: 'assistant', content: textOf(message), ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}
