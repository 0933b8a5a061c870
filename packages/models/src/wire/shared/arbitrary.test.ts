import type { AssistantPart, JsonObject, Message, ToolSpec, UserMessage } from '@forge/core';
import fc from 'fast-check';
import type { StreamEvent, WireReply } from '../wire.ts';

/** Generated conversations, replies and streams for wires that take a call's arguments as an object. */

export const words = fc.string({ minLength: 1, maxLength: 12 });
export const word = fc.stringMatching(/^[a-z][a-z_]{0,10}$/);
export const signature = fc.stringMatching(/^[A-Za-z0-9+/]{4,12}$/);
export const number = fc
  .double({ min: -1000, max: 1000, noNaN: true })
  .map((value) => (Object.is(value, -0) ? 0 : value));
export const count = fc.nat({ max: 100_000 });

/** An object as JSON gives it back. */
export const jsonObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)));

export const tool: fc.Arbitrary<ToolSpec> = fc.record({
  name: word,
  description: words,
  inputSchema: fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(word, fc.constant({ type: 'string' }), { minKeys: 1, maxKeys: 3 }),
  }),
});

type Call = Extract<AssistantPart, { type: 'tool_call' }>;

export function calls(provider: fc.Arbitrary<Call['provider']>): fc.Arbitrary<Call[]> {
  return fc.uniqueArray(
    fc.record({ id: word, name: word, args: jsonObject, provider }).map(
      ({ provider: fields, ...call }): Call => ({
        type: 'tool_call',
        ...call,
        ...(fields !== undefined && { provider: fields }),
      }),
    ),
    { minLength: 1, maxLength: 3, selector: (call) => call.id },
  );
}

/** What a user asks, what the model answers, and what its tools say to that. */
export function exchange(kinds: {
  user: fc.Arbitrary<UserMessage['content']>;
  said: fc.Arbitrary<AssistantPart[]>;
  calls: fc.Arbitrary<Call[]>;
  /** Whether the results of one turn come in one message. */
  together: boolean;
  canSayError: boolean;
}): fc.Arbitrary<Message[]> {
  return fc
    .record({
      user: kinds.user,
      said: kinds.said,
      calls: fc.oneof(fc.constant<Call[]>([]), kinds.calls),
      result: words,
      isError: kinds.canSayError ? fc.boolean() : fc.constant(false),
    })
    .map(({ user, said, calls: made, result, isError }): Message[] => {
      const results = made.map((call) => ({
        type: 'tool_result' as const,
        callId: call.id,
        name: call.name,
        content: [{ type: 'text' as const, text: result }],
        ...(isError && { isError }),
      }));
      const tools: Message[] =
        made.length === 0
          ? []
          : kinds.together
            ? [{ role: 'tool', content: results }]
            : results.map((one): Message => ({ role: 'tool', content: [one] }));
      return [
        { role: 'user', content: user },
        { role: 'assistant', content: [...said, ...made] },
        ...tools,
      ];
    });
}

/** Exchanges in a row whose calls have ids of their own. */
export function conversation(one: fc.Arbitrary<Message[]>): fc.Arbitrary<Message[]> {
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((list) =>
    list.flatMap((messages, turn) =>
      messages.map((message): Message => {
        if (message.role === 'assistant') {
          const content = message.content.map((part) =>
            part.type === 'tool_call' ? { ...part, id: `${part.id}${turn}` } : part,
          );
          return { ...message, content };
        }
        if (message.role !== 'tool') return message;
        const content = message.content.map((part) => ({
          ...part,
          callId: `${part.callId}${turn}`,
        }));
        return { ...message, content };
      }),
    ),
  );
}

export function finishFor(hasCalls: boolean): fc.Arbitrary<WireReply['finish']> {
  return fc.constantFrom(hasCalls ? 'tool_calls' : 'stop', 'length', 'content_filter', 'other');
}

/** Numbers each call of a stream and puts its arguments after it. */
export function inOrder(pieces: (StreamEvent | Call)[]): StreamEvent[] {
  let index = 0;
  return pieces.flatMap((piece): StreamEvent[] => {
    if (piece.type !== 'tool_call') return [piece];
    const { id, name, args, provider } = piece;
    const at = index;
    index += 1;
    return [
      { type: 'call', index: at, id: `${id}${at}`, name, ...(provider && { provider }) },
      { type: 'args', index: at, text: JSON.stringify(args) },
    ];
  });
}

/** A body that is almost a right one: the right fields, with anything in them. */
export function almost(fields: readonly string[], depth = 3): fc.Arbitrary<unknown> {
  if (depth === 0) return fc.jsonValue({ maxDepth: 1 });
  const inner = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    almost(fields, depth - 1),
    fc.array(almost(fields, depth - 1), { maxLength: 2 }),
  );
  return fc.dictionary(fc.constantFrom(...fields), inner, { maxKeys: 5 });
}
