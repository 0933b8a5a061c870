import { type JsonValue, type ModelRequest, textOf } from '@forge/core';

/** What a script may go by: all of it from the request, so that a run that is taken up again goes on. */
export interface Conversation {
  readonly system: string;
  /** The first thing the user said, and as JSON where it is. */
  readonly input: string;
  readonly inputValue: JsonValue | undefined;
  /** Replies that were given so far, less those whose calls were interrupted: they are given again. */
  readonly replies: number;
  /** All replies that were given so far. */
  readonly turns: number;
  readonly tools: ReadonlySet<string>;
  /** The text of the last result of each tool. */
  readonly results: ReadonlyMap<string, string>;
}

/** How the kernel tells of a call that had begun when its process died. */
const interruption = '[Interrupted]';

export function readConversation({ messages, tools }: ModelRequest): Conversation {
  const results = new Map<string, string>();
  const interrupted = new Set<string>();
  let system = '';
  let input: string | undefined;
  for (const message of messages) {
    if (message.role === 'system') system += `${textOf(message)}\n`;
    else if (message.role === 'user') input ??= textOf(message);
    else if (message.role === 'tool') {
      for (const result of message.content) {
        const text = textOf(result);
        results.set(result.name, text);
        if (text.startsWith(interruption)) interrupted.add(result.callId);
      }
    }
  }
  const said = messages.filter(({ role }) => role === 'assistant');
  const broken = said.filter(({ content }) =>
    content.some((part) => part.type === 'tool_call' && interrupted.has(part.id)),
  );
  return {
    system,
    input: input ?? '',
    inputValue: parseJson(input ?? ''),
    replies: said.length - broken.length,
    turns: said.length,
    tools: new Set(tools.map(({ name }) => name)),
    results,
  };
}

/** The value of a text that is JSON; undefined for any other. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What is at a dotted path: `plan.tasks.0.id`. */
export function valueAt(value: JsonValue | undefined, path: readonly string[]): unknown {
  let place: unknown = value;
  for (const step of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) {
      return undefined;
    }
    place = Reflect.get(place, step);
  }
  return place;
}
