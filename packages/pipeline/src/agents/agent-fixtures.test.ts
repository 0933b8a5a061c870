import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import {
  type Agent,
  ForgeError,
  type JsonValue,
  type RunEvent,
  type RunOptions,
  type RunResult,
  run,
} from '@forge/core';
import { type Line, ScriptedModel } from '@forge/core/testing';
import { createProcessBackend, type SandboxBackend } from '@forge/sandbox';
import { type Agents, type CreateAgentsOptions, createAgents } from './create-agents.ts';
import { createRunPort } from './create-run-port.ts';
import { type Files, git, makeRepository, plainWorkspace } from './git-fixtures.test.ts';
import type { DeployPort } from './ports.ts';

export interface Shop {
  readonly repo: string;
  readonly base: string;
  readonly agents: Agents;
  readonly deploy: RecordedDeploy;
  /** Lets an agent work on an input, with a model that says these lines. */
  work(
    agent: Agent,
    input: JsonValue,
    lines: readonly Line[],
    options?: Partial<RunOptions> & { readonly begin?: string },
  ): Promise<RunResult & { readonly model: ScriptedModel }>;
  git(...args: readonly string[]): string;
  close(): Promise<void>;
}

/** The agents over a real repository and real sandboxes, with a target that only takes notes. */
export async function openShop({
  files = { 'a.txt': 'one\n', 'check.sh': 'grep -q two a.txt\n' },
  backend = createProcessBackend({ trusted: true }),
  deploy = recordedDeploy(),
  ...options
}: {
  readonly files?: Files;
  readonly backend?: SandboxBackend;
  readonly deploy?: RecordedDeploy;
} & Partial<Omit<CreateAgentsOptions, 'deploy'>> = {}): Promise<Shop> {
  const { repo, base } = await makeRepository(files);
  const workspace = plainWorkspace({ repo, backend });
  const logs = new Map<string, RunEvent[]>();
  const runs = createRunPort((runId) => logs.get(runId) ?? []);
  const agents = await createAgents({
    workspace,
    deploy,
    runs,
    sandbox: { backend: 'process', network: 'none', commandSeconds: 60 },
    checks: ['sh check.sh'],
    ...options,
  });
  let count = 0;
  return {
    repo,
    base,
    agents,
    deploy,
    git: (...args) => git(repo, args),
    async work(agent, input, lines, { begin = base, ...runOptions } = {}) {
      const runId = runOptions.runId ?? `run-${++count}`;
      workspace.begin(runId, begin);
      const log: RunEvent[] = [...(runOptions.events ?? [])];
      logs.set(runId, log);
      const model = new ScriptedModel(lines);
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const said = runOptions.events === undefined ? text : undefined;
      const result = await run(agent, said, {
        model,
        runId,
        ...runOptions,
        onEvent: (event) => log.push(event),
      });
      return { ...result, model };
    },
    async close() {
      await backend.close();
      await rm(repo, { recursive: true, force: true });
    },
  };
}

export interface RecordedDeploy extends DeployPort {
  /** What was asked of it, in order. */
  readonly asked: string[];
}

/** A target that takes notes. What it is to answer is given. */
export function recordedDeploy(answers: Partial<DeployPort> = {}): RecordedDeploy {
  const asked: string[] = [];
  return {
    target: 'notes',
    asked,
    check: async () => [],
    deploy: async ({ id, commit }) => ({ id, commit, digest: 'sha256:0', url: undefined }),
    rollback: async () => ({ to: 'dep_before' }),
    withdraw: async () => {},
    health: async () => ({ healthy: true, report: 'GET / answered 200' }),
    ...noted(asked, answers),
    verify: async (id, passed, reason) => {
      asked.push(['verify', id, passed ? 'good' : 'bad', reason].filter(Boolean).join(' '));
    },
  };
}

function noted(asked: string[], answers: Partial<DeployPort>): Partial<DeployPort> {
  const { deploy, rollback, withdraw, ...rest } = answers;
  return {
    ...rest,
    deploy: async (release) => {
      asked.push(`deploy ${release.id}`);
      const { id, commit } = release;
      return deploy?.(release) ?? { id, commit, digest: 'sha256:0' };
    },
    rollback: async (order) => {
      asked.push(`rollback ${order.from}`);
      return rollback?.(order) ?? { to: 'dep_before' };
    },
    withdraw: async (order) => {
      asked.push(`withdraw ${order.id}`);
      await withdraw?.(order);
    },
  };
}

export function nothingToRollBack(): never {
  throw new ForgeError('nothing_to_roll_back', 'There is no earlier deployment.');
}

/** The output of a run that was completed, as JSON. */
export function outputOf(result: RunResult): Record<string, unknown> {
  const { status, explanation, output } = result;
  assert.equal(status, 'completed', [explanation, ...resultsIn(result)].join('\n'));
  return JSON.parse(output?.text ?? '');
}

/** What tools said, as `name outcome: text`. */
export function resultsIn({ events }: RunResult): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== 'tool.finished') return [];
    const [first] = event.content;
    return [`${event.name} ${event.outcome}: ${first?.type === 'text' ? first.text : ''}`];
  });
}
