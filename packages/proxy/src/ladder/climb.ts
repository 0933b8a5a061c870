import { promptTools, type WireReply, type WireRequest } from '@forge/models';
import type { Advice } from '../learn/lessons.ts';
import type { Ask, RefusedReply } from './ask.ts';
import { askConstrained } from './ask-constrained.ts';
import { canConstrain } from './can-constrain.ts';
import { tell } from './tell.ts';

export interface ClimbOptions {
  /** As the client asked. */
  readonly request: WireRequest;
  /** The replies to it that were no good, the oldest first. */
  readonly refusals: readonly RefusedReply[];
  readonly advice: Advice;
  readonly policy: 'off' | 'on-retry' | 'always';
  readonly tools: 'native' | 'prompt';
}

/**
 * What to ask next. First as the client asked (or with the tools in the prompt), then with the
 * refused replies and what was wrong with them, and last held to the shape of a call by the
 * server. Where only a call will do, the shape comes right after the first refusal: a model that
 * wrote prose does so again when told not to, and each try costs a generation.
 */
export function climb(options: ClimbOptions): Ask {
  const { request, refusals, tools } = options;
  const free = freeReplies(options);
  if (refusals.length >= free) {
    const [before, since] = [refusals.slice(0, free), refusals.slice(free)];
    return askConstrained({ request, before, since });
  }
  const nudged = { ...request, messages: [...request.messages, ...tell(refusals)] };
  return {
    rung: refusals.length > 0 ? 'nudged' : tools,
    request: tools === 'prompt' ? { ...nudged, ...promptTools(nudged) } : nudged,
    read: asItCame,
  };
}

/** How many replies are asked for before the shape is held. */
function freeReplies({ request, advice, policy }: ClimbOptions): number {
  if (policy === 'off' || !canConstrain(request)) return Number.POSITIVE_INFINITY;
  if (policy === 'always') return 0;
  return Math.max(1, advice.constrainAfter ?? (request.toolChoice === 'auto' ? 2 : 1));
}

const asItCame = (reply: WireReply) => reply;
