import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type AssistantPart,
  estimateMessageTokens,
  estimateToolTokens,
  type JsonObject,
  type ModelRequest,
} from '@forge/core';
import { type CallOptions, type ModelClient, toClient } from '../client/model-client.ts';
import { eventsOfReply } from '../wire/events-of-reply.ts';
import { ModelError } from '../wire/model-error.ts';
import type { WireReply } from '../wire/wire.ts';
import { fillPlaceholders } from './fill-placeholders.ts';
import { findScene } from './find-scene.ts';
import { type Conversation, readConversation } from './read-conversation.ts';
import type { LoadedScript } from './read-script.ts';
import type { ScriptedReply } from './script-schema.ts';

/**
 * A model that says what a file tells it to, **for demos and tests**. It keeps nothing between calls:
 * which scene is played and which reply is due follow from the request alone, so a run that was
 * killed and taken up again hears what it would have heard. It counts assistant messages, so it is
 * not for runs whose past is compacted. Without a scene, or past its end, the call fails and says
 * where.
 *
 * @example
 * const model = createScriptedModel('story.yaml');
 */
export function createScriptedModel(file: string, options: { id?: string } = {}): ModelClient {
  const id = options.id ?? `scripted:${file}`;
  const path = resolve(file);
  let loading: Promise<LoadedScript> | undefined;
  const load = (): Promise<LoadedScript> => {
    loading ??= open(path).catch((error: unknown) => {
      loading = undefined; // A file that is mended is read again.
      throw error;
    });
    return loading;
  };
  const speak = async (request: ModelRequest, { signal }: CallOptions): Promise<WireReply> => {
    signal.throwIfAborted();
    const loaded = await load();
    const { reply, heard, place } = replyTo(request, loaded, path);
    const delay = reply.delayMs ?? loaded.script.delayMs;
    if (delay > 0) await setTimeout(delay, undefined, { signal });
    signal.throwIfAborted();
    const content = contentOf(reply, heard, place);
    return {
      content,
      finish: content.some(({ type }) => type === 'tool_call') ? 'tool_calls' : 'stop',
      usage: reply.usage ?? estimateUsage(request, content),
      model: id,
      extra: {},
    };
  };
  return toClient({
    id,
    async reply(request, call) {
      const reply = await speak(request, call);
      for (const part of reply.content) {
        if (part.type === 'text') call.onDelta?.({ type: 'text', text: part.text });
      }
      return reply;
    },
    async *stream(request, call) {
      yield* eventsOfReply(await speak(request, call));
    },
    contextLength: async () => (await load()).script.contextTokens,
  });
}

/** The parser is loaded when a script is played, not with every program that knows models. */
async function open(path: string): Promise<LoadedScript> {
  const { readScript } = await import('./read-script.ts');
  return readScript(path);
}

interface Due {
  readonly reply: ScriptedReply;
  readonly heard: Conversation;
  readonly place: string;
}

function replyTo(request: ModelRequest, { script, placeOf }: LoadedScript, file: string): Due {
  const heard = readConversation(request);
  const at = findScene(script, heard);
  const scene = script.scenes[at];
  if (scene === undefined) {
    throw refusal(
      `${file} has no scene for this request. Input: ${cut(heard.input)}. Tools: ${cut([...heard.tools].join(', '))}.`,
    );
  }
  const reply = scene.replies[heard.replies];
  if (reply === undefined) {
    const last = [...heard.results].at(-1);
    throw refusal(
      `${placeOf(['scenes', at])}: scene ${scene.name ?? at} has ${scene.replies.length} replies and was asked for one more.${last === undefined ? '' : ` The last result was of ${last[0]}: ${cut(last[1])}.`}`,
    );
  }
  return { reply, heard, place: placeOf(['scenes', at, 'replies', heard.replies]) };
}

function contentOf(
  { text, calls = [] }: ScriptedReply,
  heard: Conversation,
  place: string,
): readonly AssistantPart[] {
  const missing = (name: string): never => {
    const known = [...heard.results.keys()].map((tool) => `result.${tool}`);
    throw refusal(
      `${place}: nothing is there for {{${name}}}. There is: ${['input', ...known].join(', ')}.`,
    );
  };
  return [
    ...(text === undefined
      ? []
      : [{ type: 'text' as const, text: String(fillPlaceholders(text, heard, missing)) }]),
    ...calls.map(({ name, args }, index) => ({
      type: 'tool_call' as const,
      // Unique in the conversation, and the same when the reply is asked for again.
      id: `call-${heard.turns + 1}-${index + 1}`,
      name,
      args: fillPlaceholders(args, heard, missing) as JsonObject,
    })),
  ];
}

function estimateUsage(request: ModelRequest, content: readonly AssistantPart[]) {
  const said = estimateMessageTokens({ role: 'assistant', content: [...content] });
  const heard = request.messages.reduce((sum, each) => sum + estimateMessageTokens(each), 0);
  return { inputTokens: heard + estimateToolTokens(request.tools), outputTokens: said };
}

/** Not retryable: the script would say the same again. */
function refusal(message: string): ModelError {
  return new ModelError({ kind: 'bad_request', message });
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
