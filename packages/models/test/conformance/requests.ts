import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImagePart, Message } from '@forge/core';
import { text, textOf, userMessage } from '@forge/core';
import { calls } from '@forge/core/testing';
import {
  argsOf,
  asking,
  callsIn,
  connect,
  forecast,
  key,
  lastRequest,
  reasoningIn,
  type Subject,
  signal,
  ways,
} from './subject.ts';

const picture = Buffer.from('not really a picture').toString('base64');
const image: ImagePart = { type: 'image', mediaType: 'image/png', source: { data: picture } };

const conversation: readonly Message[] = [
  { role: 'system', content: [text('Be brief.')] },
  { role: 'user', content: [text('What is in this picture?'), image] },
  {
    role: 'assistant',
    content: [
      text('Let me see.'),
      { type: 'tool_call', id: 'call_1', name: 'get_forecast', args: { city: 'Oslo', days: 3 } },
      { type: 'tool_call', id: 'call_2', name: 'get_forecast', args: { city: 'Rome' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool_result', callId: 'call_1', name: 'get_forecast', content: [text('Rain.')] },
      { type: 'tool_result', callId: 'call_2', name: 'get_forecast', content: [text('Sun.')] },
    ],
  },
  userMessage('And tomorrow?'),
];

const signs: ReadonlySet<string> = new Set(['anthropic-messages', 'gemini']);

/** OpenAI takes none on the chat wire, and on the other only what it has sealed itself. */
function takesThoughts({ provider }: Subject): boolean {
  return provider !== 'openai' && provider !== 'openai-responses';
}

/** What the kernel asks arrives as it was meant. */
export function requests(subject: Subject) {
  const { wire, profile } = subject;
  describe('a request', () => {
    it('brings the conversation: texts, a picture, calls and their results', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.']);
      await model.complete(asking(...conversation), { signal });
      const { messages } = lastRequest(server);
      const texts = (role: Message['role']) =>
        messages
          .filter((message) => message.role === role)
          .map(textOf)
          .join('|');
      assert.equal(texts('system'), 'Be brief.');
      assert.match(texts('user'), /What is in this picture\?.*And tomorrow\?/);
      assert.equal(texts('assistant'), 'Let me see.');
      const images = messages.flatMap((message) =>
        message.role === 'user' ? message.content.filter((part) => part.type === 'image') : [],
      );
      assert.deepEqual(
        images.map((part) => part.source),
        [{ data: picture }],
      );
      const asked = messages.flatMap((message) =>
        message.role === 'assistant' ? callsIn(message) : [],
      );
      const results = messages.flatMap((message) =>
        message.role === 'tool' ? message.content : [],
      );
      assert.equal(asked.length, 2);
      assert.deepEqual(
        results.map((result) => result.callId),
        asked.map((call) => call.id),
      );
      assert.deepEqual(results.map(textOf), ['Rain.', 'Sun.']);
    });

    for (const { way, listen } of ways) {
      it(`takes the last reply back as it came, with its reasoning (${way})`, async (t) => {
        const thought = { type: 'reasoning', text: 'Oslo, so rain.', signature: 'c2ln' } as const;
        const called = calls(['get_forecast', { city: 'Oslo' }, 'call_1']);
        const { model, server } = await connect(
          t,
          subject,
          [{ ...called, content: [thought, ...called.content] }, 'Rain.'],
          { reasoningReplay: 'full' },
        );
        const question = userMessage('Will it rain?');
        const { content } = await model.complete(asking(question), { signal, ...listen });
        const [call] = callsIn({ content });
        assert.ok(call);
        const result: Message = {
          role: 'tool',
          content: [
            { type: 'tool_result', callId: call.id, name: call.name, content: [text('Yes.')] },
          ],
        };
        const reply: Message = { role: 'assistant', content: [...content] };
        await model.complete(asking(question, reply, result), { signal });
        const back = lastRequest(server).messages.find((message) => message.role === 'assistant');
        assert.ok(back?.role === 'assistant');
        assert.deepEqual(callsIn(back).map(argsOf), [{ city: 'Oslo' }]);
        const signatures = back.content.flatMap((part) =>
          part.type === 'reasoning' ? (part.signature ?? []) : [],
        );
        const isKept = takesThoughts(subject);
        assert.equal(reasoningIn(back), isKept ? 'Oslo, so rain.' : '');
        assert.deepEqual(signatures, isKept && signs.has(wire.name) ? ['c2ln'] : []);
      });
    }

    it('brings the tools with their schemas', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.']);
      await model.complete(asking(), { signal });
      const { tools } = lastRequest(server);
      assert.deepEqual(
        tools.map((tool) => tool.name),
        ['get_forecast', 'ping'],
      );
      assert.equal(tools[0]?.description, forecast.description);
      assert.deepEqual(tools[0]?.inputSchema, forecast.inputSchema);
    });

    it('without tools has none', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.']);
      await model.complete({ ...asking(), tools: [] }, { signal });
      assert.deepEqual(lastRequest(server).tools, []);
    });

    it('says which tool has to be called', { skip: wire.name === 'ollama' }, async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.', 'Hi.', 'Hi.']);
      const choices = ['required', 'none', { tool: 'ping' }] as const;
      for (const toolChoice of choices)
        await model.complete({ ...asking(), toolChoice }, { signal });
      assert.deepEqual(
        server.requests.map((request) => request.toolChoice),
        choices,
      );
    });

    it('brings settings, those of the call before those of the model', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.'], {
        settings: { temperature: 0.5, maxTokens: 100 },
      });
      await model.complete(asking(), { signal });
      assert.deepEqual(lastRequest(server).settings, { temperature: 0.5, maxTokens: 100 });
      const { model: other, server: second } = await connect(t, subject, ['Hi.'], {
        settings: { temperature: 0.5, maxTokens: 100 },
      });
      await other.complete(asking(), { signal, overrides: { settings: { temperature: 0 } } });
      assert.deepEqual(lastRequest(second).settings, { temperature: 0, maxTokens: 100 });
    });

    it('carries the key where the provider looks for it', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.']);
      await model.complete(asking(), { signal });
      const { headers = {} } = server.exchanges[0] ?? {};
      const { keyHeader } = profile;
      if (keyHeader === undefined) assert.equal(headers.authorization, `Bearer ${key}`);
      else assert.equal(headers[keyHeader], key);
    });

    it('is answered by the path and the model it names', async (t) => {
      const { model, server } = await connect(t, subject, ['Hi.', 'Hi.']);
      await model.complete(asking(), { signal });
      await model.complete(asking(), { signal, onDelta: () => {} });
      assert.deepEqual(
        server.requests.map((request) => [request.model, request.stream]),
        [
          ['tiny', false],
          ['tiny', true],
        ],
      );
    });
  });
}
