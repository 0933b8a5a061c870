import type { Limits } from '@forge/core';

export interface AgentDefaults {
  /** The kind of work, by which a model is chosen. */
  readonly taskType: string;
  /** Tokens of one reply. */
  readonly maxTokens: number;
  readonly temperature: number;
}

/** How the agents that have a model ask it, unless the configuration says otherwise. */
export const agentDefaults: Readonly<Record<string, AgentDefaults>> = {
  planner: { taskType: 'planning', maxTokens: 4096, temperature: 0.2 },
  coder: { taskType: 'coding', maxTokens: 8192, temperature: 0.2 },
  agent: { taskType: 'coding', maxTokens: 8192, temperature: 0.2 },
  reviewer: { taskType: 'review', maxTokens: 4096, temperature: 0.1 },
  deployer: { taskType: 'deploy', maxTokens: 4096, temperature: 0.1 },
  verifier: { taskType: 'verify', maxTokens: 4096, temperature: 0.1 },
};

/** What is kept free for one reply of an agent, and what agents of one's own are given. */
export const usualReplyTokens = 4096;

/** Work with files goes wrong in small ways that the model mends by itself: more patience than usual. */
export const patience: Partial<Limits> = {
  turns: 25,
  toolErrors: 5,
  premature: 4,
  prerequisites: 4,
};
