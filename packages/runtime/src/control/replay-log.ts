import {
  type Agent,
  canonicalJson,
  decide,
  type Effect,
  evolve,
  type Happening,
  initialState,
  isJsonObject,
  openCall,
  type RunEvent,
  type RunState,
} from '@forge/core';

/** Where an agent would have done something else than the log says. */
export interface Divergence {
  readonly seq: number;
  readonly recorded: RunEvent['type'];
  /** What it would have begun instead; nothing if it would have waited. */
  readonly decided: readonly string[];
}

export interface Replay {
  readonly state: RunState;
  readonly divergences: readonly Divergence[];
}

/**
 * Goes through a log with the effects it holds: models and tools say what they said then, and each
 * decision is taken again. With the same agent there is no divergence; with another one the first
 * shows where it would have gone its own way. Nothing is called.
 */
export function replayLog(agent: Agent, events: Iterable<RunEvent>): Replay {
  let state = initialState;
  const divergences: Divergence[] = [];
  for (const event of events) {
    if (isDecided(event)) {
      const decided = decide(agent, state).flatMap(beginningOf);
      if (!decided.some((each) => isSame(each, event)) && !isOfOthers(event, state, decided)) {
        const types = decided.map(({ type }) => type);
        divergences.push({ seq: event.seq, recorded: event.type, decided: types });
      }
    }
    state = evolve(state, event);
  }
  return { state, divergences };
}

/** What a decision alone brings about. The rest comes from outside, or from somebody's hand. */
const decidedTypes: ReadonlySet<RunEvent['type']> = new Set([
  'model.requested',
  'reply.answered',
  'reply.accepted',
  'reply.refused',
  'tool.started',
  'approval.requested',
  'context.compacted',
  'context.warned',
  'context.summary_requested',
]);

function isDecided({ type }: RunEvent): boolean {
  return decidedTypes.has(type);
}

/** What is written as an effect begins; of several records the first one comes next. */
function beginningOf(effect: Effect): readonly Happening[] {
  switch (effect.type) {
    case 'record':
      return effect.happenings.slice(0, 1);
    case 'call_model': {
      const { turn, request, estimatedTokens } = effect;
      const messages = request.messages.length;
      return [{ type: 'model.requested', turn, messages, estimatedTokens }];
    }
    case 'run_tool':
    case 'await_result': {
      const { callId, name, args, idempotencyKey } = effect;
      return [{ type: 'tool.started', callId, name, args, idempotencyKey }];
    }
    case 'ask_approval': {
      const { callId, name, args } = effect;
      return [{ type: 'approval.requested', callId, name, args }];
    }
    case 'summarize':
      return [{ type: 'context.summary_requested', replaces: [...effect.request.entries] }];
    case 'await_input':
      return [];
    default:
      return effect satisfies never;
  }
}

/**
 * Asked, though the agent would have begun it: a rule of the store stepped in. Or asked while it ran:
 * its worker had died, and a person is to say whether it runs again.
 */
function isOfOthers(event: RunEvent, state: RunState, decided: readonly Happening[]): boolean {
  if (event.type !== 'approval.requested') return false;
  if (openCall(state, event.callId)?.status === 'running') return true;
  return decided.some((each) => each.type === 'tool.started' && each.callId === event.callId);
}

function isSame(decided: Happening, event: RunEvent): boolean {
  const { v: _, runId: __, seq: ___, at: ____, ...happening } = event;
  return stored(decided) === stored(happening);
}

/** As the log would hold it: what JSON leaves out does not count, nor does the driver's choice of a model. */
function stored({ ...happening }: Happening): string {
  if (happening.type === 'model.requested') {
    delete happening.model;
    delete happening.chosen;
  }
  const value: unknown = JSON.parse(JSON.stringify(happening));
  return isJsonObject(value) ? canonicalJson(value) : '';
}
