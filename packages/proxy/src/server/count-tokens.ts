import { estimateMessageTokens, estimateToolTokens } from '@forge/core';
import {
  decodeCountTokensRequest,
  encodeTokenCount,
  type Wire,
  type WireRequest,
} from '@forge/models';
import { type Ask, type CountWay, countWays } from './count-ways.ts';

/** The answer to a request for a count. */
export interface TokenCount {
  readonly tokens: number;
  /** The backend itself, its tokenizer over its own template, or a guess. */
  readonly by: CountWay['by'] | 'estimate';
  /** The body of the answer, as JSON. */
  readonly body: string;
}

/** How the backend is asked, and for how long somebody waits for it. */
interface Asking {
  readonly ask: Ask;
  readonly signal: AbortSignal;
}

/** Milliseconds after which ways that failed are tried again: the backend may be another by then. */
const forgetAfter = 60_000;

/**
 * Counts the tokens of Anthropic's requests with a backend of any wire: asks the backend if it can,
 * and guesses if it cannot. The way that worked is remembered, and so is that none did.
 *
 * Throws `ModelError('bad_request')` for a body that is no such request, and the signal's reason
 * when nobody waits any more.
 */
export function createTokenCounter({
  wire,
  model,
  now,
}: {
  /** What the backend speaks. */
  readonly wire: Wire['name'];
  /** The model asked for, whatever the client says. */
  readonly model?: string | undefined;
  readonly now: () => number;
}): (body: unknown, by: Asking) => Promise<TokenCount> {
  let ways = countWays[wire];
  let forgetAt = 0;

  async function countBy(
    request: WireRequest,
    { ask, signal }: Asking,
  ): Promise<Omit<TokenCount, 'body'>> {
    if (now() >= forgetAt) ways = countWays[wire];
    const seesAll = !hasImages(request);
    for (const way of ways) {
      if (way.by === 'tokenizer' && !seesAll) continue;
      const tokens = await way.count(request, ask);
      signal.throwIfAborted(); // A way that was cut short has not failed.
      if (tokens === undefined) continue;
      remember([way]);
      return { tokens, by: way.by };
    }
    if (seesAll) remember([]);
    return { tokens: estimateRequest(request), by: 'estimate' };
  }

  function remember(found: readonly CountWay[]): void {
    if (ways.length > found.length) forgetAt = now() + forgetAfter;
    ways = found;
  }

  return async (body, asking) => {
    const decoded = decodeCountTokensRequest(body);
    const counted = await countBy(model === undefined ? decoded : { ...decoded, model }, asking);
    return { ...counted, body: JSON.stringify(encodeTokenCount(counted.tokens)) };
  };
}

/** What the request would weigh with an unknown tokenizer. */
function estimateRequest({ messages, tools }: WireRequest): number {
  let tokens = estimateToolTokens(tools);
  for (const message of messages) tokens += estimateMessageTokens(message);
  return tokens;
}

function hasImages({ messages }: WireRequest): boolean {
  return messages.some(({ content }) =>
    content.some(
      (part) =>
        part.type === 'image' ||
        (part.type === 'tool_result' && part.content.some(({ type }) => type === 'image')),
    ),
  );
}
