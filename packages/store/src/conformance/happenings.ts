import { type Happening, type Outcome, text, type Usage, userMessage } from '@forge/core';

/** Events for tests, of every kind that projections count. */
export function note(words: string): Happening {
  return { type: 'context.warned', level: 1, text: words };
}

export function started(agent = 'writer'): Happening {
  return {
    type: 'run.started',
    agent,
    history: [],
    input: [userMessage('Go on.')],
    budget: 1_000,
    budgetSource: 'test',
    reasoningReplay: 'none',
  };
}

export function requested(turn = 1, model?: string): Happening {
  const asked = { turn, messages: 1, estimatedTokens: 10 };
  return { type: 'model.requested', ...asked, ...(model !== undefined && { model }) };
}

export function replied({
  usage,
  cost,
  turn = 1,
  model,
}: {
  usage?: Usage;
  cost?: number;
  turn?: number;
  model?: string;
} = {}): Happening {
  return {
    type: 'model.replied',
    turn,
    ...(model !== undefined && { model }),
    reply: {
      content: [text('Yes.')],
      finish: 'stop',
      ...(usage !== undefined && { usage }),
      ...(cost !== undefined && { cost }),
    },
  };
}

export function toolStarted(callId = 'c1'): Happening {
  return {
    type: 'tool.started',
    callId,
    name: 'shell',
    args: { command: 'ls' },
    idempotencyKey: callId,
  };
}

export function toolFinished(outcome: 'ok' | 'error', callId = 'c1'): Happening {
  return { type: 'tool.finished', callId, name: 'shell', outcome, content: [text('done')] };
}

export function recorded(outcome: Partial<Outcome> = {}): Happening {
  return {
    type: 'outcome.recorded',
    kind: 'run',
    verdict: 'success',
    taskType: 'coding',
    agent: 'writer',
    cost: 0.5,
    tokens: 30,
    latencyMs: 1_200,
    ...outcome,
  };
}

export function resumed(): Happening {
  return { type: 'run.resumed', again: [] };
}

export function finished(status: 'completed' | 'failed' | 'cancelled' = 'completed'): Happening {
  return { type: 'run.finished', status, reason: 'answered', explanation: `It ${status}.` };
}
