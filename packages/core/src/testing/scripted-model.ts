import type { JsonObject } from '../json.ts';
import type { AssistantPart } from '../messages/message.ts';
import type { Model, ModelDelta, ModelReply, ModelRequest } from '../models.ts';

/** One line of a script: text, calls, a whole reply, a failure, or a function of the request. */
export type Line =
  | string
  | ModelReply
  | Error
  | ((request: ModelRequest) => string | ModelReply | Promise<string | ModelReply>);

/**
 * A model that says what it was told to, one line per request, and keeps the requests. Running
 * out of lines is a failure that says so.
 *
 * @example
 * const model = new ScriptedModel([calls(['get_forecast', { city: 'Oslo' }]), 'It will rain.']);
 */
export class ScriptedModel implements Model {
  readonly id = 'scripted';
  readonly requests: ModelRequest[] = [];
  readonly #lines: readonly Line[];
  readonly #contextLength: number | undefined;

  constructor(lines: readonly Line[], options: { contextLength?: number } = {}) {
    this.#lines = lines;
    this.#contextLength = options.contextLength;
  }

  async complete(
    request: ModelRequest,
    { signal, onDelta }: { signal: AbortSignal; onDelta?: (delta: ModelDelta) => void },
  ): Promise<ModelReply> {
    signal.throwIfAborted();
    const line = this.#lines[this.requests.length];
    this.requests.push(request);
    if (line === undefined) {
      throw new Error(`The script has ${this.#lines.length} lines and was asked for one more.`);
    }
    if (line instanceof Error) throw line;
    const said = typeof line === 'function' ? await line(request) : line;
    signal.throwIfAborted();
    const reply = typeof said === 'string' ? says(said) : said;
    if (onDelta) for (const delta of deltasOf(reply)) onDelta(delta);
    return reply;
  }

  async contextLength(): Promise<number | undefined> {
    return this.#contextLength;
  }
}

export function says(text: string): ModelReply {
  return { content: text === '' ? [] : [{ type: 'text', text }], finish: 'stop' };
}

/** Native tool calls. Ids are `c1`, `c2`… unless given. */
export function calls(
  ...list: readonly (readonly [name: string, args: JsonObject | string, id?: string])[]
): ModelReply {
  const content = list.map(
    ([name, args, id], index): AssistantPart => ({
      type: 'tool_call',
      id: id ?? `c${index + 1}`,
      name,
      args,
    }),
  );
  return { content, finish: 'tool_calls' };
}

/** Text and reasoning word by word, as a backend would stream it. */
function* deltasOf(reply: ModelReply): Generator<ModelDelta> {
  for (const part of reply.content) {
    if (part.type !== 'text' && part.type !== 'reasoning') continue;
    for (const piece of part.text.match(/\S+\s*|\s+/g) ?? [])
      yield { type: part.type, text: piece };
  }
}
