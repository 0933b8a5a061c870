import type { ModelRequest } from '@forge/core';
import { type CallSettings, type ModelClient, toClient } from '../client/model-client.ts';
import { ModelError } from '../wire/model-error.ts';
import type { OnModelEvent } from './model-event.ts';
import { promptTools } from './prompt-tools.ts';
import { replayReasoning } from './replay-reasoning.ts';
import { refusesLargeBounds, withSmallBounds } from './small-bounds.ts';

export type ConcessionName =
  | 'without-reasoning'
  | 'without-replay'
  | 'without-forced-call'
  | 'small-bounds'
  | 'tools-in-prompt';

interface Call {
  readonly request: ModelRequest;
  readonly overrides: CallSettings | undefined;
}

/** Something a request can do without, for servers that refuse it. */
export interface Concession {
  readonly name: ConcessionName;
  /** Whether this error says that it has to go. */
  refusedBy(error: ModelError): boolean;
  /** Whether there is anything of it in the call. */
  concerns(call: Call): boolean;
  apply(call: Call): Call;
}

/** Models that do not think refuse to be asked to: Ollama says so in an error of status 400. */
export const withoutReasoning: Concession = {
  name: 'without-reasoning',
  refusedBy: (error) => says(error, /does not support thinking/i),
  concerns: () => true,
  apply: ({ request, overrides }) => ({ request, overrides: { ...overrides, reasoning: null } }),
};

/** Strict servers (Groq, Cerebras) refuse earlier reasoning of models they do not know to reason. */
const noReplay = /reasoning(_content|_text)?'? is (unsupported|not supported)/i;

export const withoutReplay: Concession = {
  name: 'without-replay',
  refusedBy: (error) => says(error, noReplay),
  concerns: ({ request }) =>
    request.messages.some(
      ({ role, content }) =>
        role === 'assistant' && content.some((part) => part.type === 'reasoning'),
    ),
  apply: ({ request, overrides }) => ({
    request: { ...request, messages: replayReasoning(request.messages, 'none') },
    overrides,
  }),
};

/** Models that think may refuse to be held to a call; the guardrails hold them to it all the same. */
const noForcedCall =
  /thinking may not be enabled when tool_choice forces|does not support (this|being forced to call|required|forced) tool_choice|tool_choice['"` ]*(:|=)? *['"`]?(required|any|object)['"`]? (is )?not supported|only ['"`]?auto['"`]? (is supported|tool_choice)/i;

export const withoutForcedCall: Concession = {
  name: 'without-forced-call',
  refusedBy: (error) => says(error, noForcedCall),
  concerns: ({ request: { toolChoice } }) => toolChoice !== 'auto' && toolChoice !== 'none',
  apply: ({ request, overrides }) => {
    const { toolChoice } = request;
    if (toolChoice === 'auto' || toolChoice === 'none') return { request, overrides };
    return { request: { ...request, toolChoice: 'auto' }, overrides };
  },
};

/** Servers that make grammars of schemas; the guardrails hold arguments to the whole schema. */
export const smallBounds: Concession = {
  name: 'small-bounds',
  refusedBy: (error) => says(error, refusesLargeBounds),
  concerns: (call) => bounded(call) !== call,
  apply: (call) => bounded(call),
};

function bounded(call: Call): Call {
  const { responseFormat } = call.overrides ?? {};
  const shaped = { ...call.request, responseFormat };
  const { responseFormat: format, ...request } = withSmallBounds(shaped);
  if (request.tools === call.request.tools && format === responseFormat) return call;
  return {
    request,
    overrides: format ? { ...call.overrides, responseFormat: format } : call.overrides,
  };
}

/** The ways of Ollama, llama.cpp, vLLM, OpenRouter and Groq to say that this model takes no tools as it is served. */
const noTools =
  /does not support (tools|function calling)|tools? param(eter)? requires --jinja|"auto" tool choice requires --enable-auto-tool-choice|support tool use|tool (use|calling)[`'"]? (is )?not supported/i;

export const toolsInPrompt: Concession = {
  name: 'tools-in-prompt',
  refusedBy: (error) => says(error, noTools),
  concerns: ({ request }) => request.tools.length > 0,
  apply: ({ request, overrides }) => ({ request: promptTools(request), overrides }),
};

/**
 * A client that gives in: when the server refuses one of these things, the call is made again
 * without it, and so are all later ones.
 */
export function withConcessions(
  client: ModelClient,
  {
    concessions,
    made: already = [],
    onEvent,
  }: {
    readonly concessions: readonly Concession[];
    /** Made from the start. */
    readonly made?: readonly Concession[];
    readonly onEvent?: OnModelEvent;
  },
): ModelClient {
  const made = new Set(already);
  const prepare = (call: Call): Call => [...made].reduce((next, one) => one.apply(next), call);

  /** True if the call is worth making again. */
  const concede = (error: unknown, call: Call): boolean => {
    if (!(error instanceof ModelError)) return false;
    const next = concessions.find(
      (one) => !made.has(one) && one.refusedBy(error) && one.concerns(call),
    );
    if (next === undefined) return false;
    made.add(next);
    onEvent?.({ type: 'conceded', model: client.id, concession: next.name, error });
    return true;
  };

  return toClient({
    ...client,
    async reply(request, options) {
      const call = { request, overrides: options.overrides };
      for (;;) {
        const { request: sent, overrides } = prepare(call);
        try {
          return await client.reply(sent, { ...options, ...(overrides && { overrides }) });
        } catch (error) {
          // Such an error comes before any piece of a reply, so nothing was shown.
          if (!concede(error, call)) throw error;
        }
      }
    },
    async *stream(request, options) {
      const call = { request, overrides: options.overrides };
      for (;;) {
        const { request: sent, overrides } = prepare(call);
        try {
          yield* client.stream(sent, { ...options, ...(overrides && { overrides }) });
          return;
        } catch (error) {
          if (!concede(error, call)) throw error;
        }
      }
    },
  });
}

function says(error: ModelError, words: RegExp): boolean {
  return words.test(error.message) || words.test(error.body ?? '');
}
