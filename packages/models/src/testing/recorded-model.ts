import type { JsonValue, Model, ModelReply, ModelRequest } from '@forge/core';
import * as z from 'zod';
import { ModelError } from '../wire/model-error.ts';
import {
  type Cassette,
  type CassetteError,
  type CassetteExchange,
  readCassette,
  toExchange,
  writeCassette,
} from './cassette/cassette.ts';
import { differences } from './cassette/differences.ts';
import { redactJson } from './cassette/redact-secrets.ts';

export interface RecordOptions {
  /** The path of the file. What was there is replaced by the first exchange. */
  readonly cassette: string;
  /** Takes the secrets out of everything that is kept. */
  readonly redact?: (value: JsonValue) => JsonValue;
}

/**
 * The same model, with every exchange kept in a file, without the secrets in it. A call resolves
 * once its exchange is on disk. Failures are kept too; calls that were aborted are not.
 *
 * @example
 * const model = recordModel(createModel('ollama:qwen3:8b'), { cassette: 'tests/plan.json' });
 */
export function recordModel(model: Model, options: RecordOptions): Model {
  const { cassette: path, redact = redactJson } = options;
  let cassette: Cassette = { v: 1, model: model.id, exchanges: [] };
  let written: Promise<void> = Promise.resolve();

  function save(change: Partial<Cassette>): Promise<void> {
    cassette = { ...cassette, ...change };
    const now = cassette;
    // One after the other, and one that failed does not keep the next from trying.
    written = written.catch(() => {}).then(() => writeCassette(path, now));
    return written;
  }

  function keep(request: ModelRequest, outcome: Outcome): Promise<void> {
    const exchange = toExchange(redact(toJson({ request: essence(request), ...outcome })));
    return save({ exchanges: [...cassette.exchanges, exchange] });
  }

  return {
    id: model.id,
    async complete(request, call) {
      let reply: ModelReply;
      try {
        reply = await model.complete(request, call);
      } catch (error) {
        if (!call.signal.aborted) await keep(request, { error: describe(error) });
        throw error;
      }
      await keep(request, { reply });
      return reply;
    },
    async contextLength(call) {
      const contextLength = await model.contextLength?.(call);
      if (contextLength !== undefined) await save({ contextLength });
      return contextLength;
    },
  };
}

export interface ReplayOptions {
  /** As when it was recorded, else requests with secrets in them are not recognised. */
  readonly redact?: (value: JsonValue) => JsonValue;
  /** Applied to both requests before they are compared: takes out dates, paths and the like. */
  readonly normalise?: (request: JsonValue) => JsonValue;
}

export interface ReplayedModel extends Model {
  /** Exchanges that were not asked for yet. */
  readonly remaining: number;
}

/**
 * A model that answers as it did when the cassette was recorded. A request that differs from the
 * recorded one is refused with where it differs, and so is one more than there are: a replay
 * never makes up an answer.
 */
export function replayModel(path: string, options: ReplayOptions = {}): ReplayedModel {
  const { redact = redactJson, normalise = (request) => request } = options;
  const { model: id, contextLength, exchanges } = readCassette(path);
  let next = 0;

  function take(request: ModelRequest): CassetteExchange {
    const exchange = exchanges[next];
    if (exchange === undefined) {
      const count = exchanges.length;
      throw refuse(`has ${count} exchanges and was asked for one more. Record it again.`);
    }
    const was = normalise(toJson(exchange.request));
    const changes = differences(was, normalise(redact(toJson(essence(request)))));
    if (changes.length > 0) {
      const where = changes.map((change) => `\n  ${change}`).join('');
      throw refuse(
        `has another request ${next + 1}:${where}\nRecord it again if this change is meant.`,
      );
    }
    next += 1;
    return exchange;
  }

  function refuse(what: string): ModelError {
    return new ModelError({ kind: 'bad_request', message: `The cassette ${path} ${what}` });
  }

  return {
    id,
    get remaining() {
      return exchanges.length - next;
    },
    async complete(request, { signal, onDelta }) {
      signal.throwIfAborted();
      const exchange = take(request);
      if ('error' in exchange) throw toError(exchange.error);
      for (const part of exchange.reply.content) {
        if (part.type === 'text' || part.type === 'reasoning') {
          onDelta?.({ type: part.type, text: part.text });
        }
      }
      return exchange.reply;
    },
    contextLength: async () => contextLength,
  };
}

type Outcome = { readonly reply: ModelReply } | { readonly error: CassetteError };

function describe(error: unknown): CassetteError {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ModelError)) return { message };
  const { kind, status, retryAfter } = error;
  return { kind, message, status, retryAfter };
}

function toError({ kind, ...error }: CassetteError): Error {
  return kind === undefined ? new Error(error.message) : new ModelError({ kind, ...error });
}

/** What of a request decides about the reply. */
function essence({ messages, tools, toolChoice }: ModelRequest) {
  return { messages, tools, toolChoice };
}

/** As it will be read back: without what JSON does not keep. */
function toJson(value: unknown): JsonValue {
  return z.json().parse(JSON.parse(JSON.stringify(value)));
}
