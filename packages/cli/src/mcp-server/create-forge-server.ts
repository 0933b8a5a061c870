import { ForgeError, messageOf } from '@forge/core';
import { type Approvals, createApprovals, type Runtime } from '@forge/runtime';
import type { RunRow, Store } from '@forge/store';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { topAgents, type Workshop } from '../workshop/workshop.ts';
import { describeRun } from './describe-run.ts';

export interface ForgeServerOptions {
  readonly workshop: Workshop;
  readonly version: string;
  /** Who decides when somebody decides through this server, such as `mcp:stdio`. */
  readonly by: string;
  /** Looking only: nothing can be started or decided. */
  readonly readOnly: boolean;
}

type Answer = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

const runStates = ['open', 'paused', 'completed', 'failed', 'cancelled', 'dead'] as const;
const limit = z.int().min(1).max(100).default(20).describe('at most so many');
const after = z.string().optional().describe('the "next" of the page before');

/**
 * Forge as an MCP server: start runs, look at them, decide what they ask for, search what they
 * remember. It works on nothing itself: workers on the same store do.
 */
export function createForgeServer({
  workshop,
  version,
  by,
  readOnly,
}: ForgeServerOptions): McpServer {
  const { store, runtime } = workshop;
  const server = new McpServer(
    { name: 'forge', title: 'Forge', version },
    {
      instructions:
        'Runs of agents. Start one, then ask for its status until it has ended or waits for an approval.',
    },
  );
  const approvals = createApprovals({ store });
  addLooking(server, { store, runtime, approvals });
  if (!readOnly) addActing(server, { workshop, approvals, by });
  return server;
}

function addLooking(
  server: McpServer,
  { store, runtime, approvals }: { store: Store; runtime: Runtime; approvals: Approvals },
) {
  const annotations = { readOnlyHint: true };
  server.registerTool(
    'run_status',
    {
      description: 'Where a run stands: its status, its answer, what it waits for',
      inputSchema: z.object({ run_id: z.string() }),
      annotations,
    },
    ({ run_id }) =>
      answer(async () => {
        const waiting = await approvals.list({ state: 'pending', runId: run_id }, { limit: 20 });
        return {
          ...describeRun(await runtime.view(run_id)),
          approvals: waiting.items.map(({ id, tool, proposed }) => ({
            id,
            tool,
            arguments: proposed,
          })),
        };
      }),
  );
  server.registerTool(
    'list_runs',
    {
      description: 'Runs, newest first',
      inputSchema: z.object({
        agent: z.string().optional(),
        states: z.array(z.enum(runStates)).optional(),
        limit,
        after,
      }),
      annotations,
    },
    ({ agent, states, ...page }) =>
      answer(async () => {
        const { items, next } = await store.runs({ agent, states }, page);
        const runs = items.map(({ id, state, title, createdAt, agent: of }) => ({
          id,
          agent: of,
          state,
          title,
          created: new Date(createdAt).toISOString(),
        }));
        return { runs, next };
      }),
  );
  server.registerTool(
    'list_approvals',
    {
      description: 'What waits for somebody to decide, newest first',
      inputSchema: z.object({ run_id: z.string().optional(), limit, after }),
      annotations,
    },
    ({ run_id: runId, ...page }) =>
      answer(async () => {
        const { items, next } = await approvals.list({ state: 'pending', runId }, page);
        const shown = items.map(({ id, runId: of, agent, tool, proposed, question, actions }) => ({
          id,
          run_id: of,
          agent,
          tool,
          arguments: proposed,
          question,
          actions,
        }));
        return { approvals: shown, next };
      }),
  );
  server.registerTool(
    'search_memory',
    {
      description: 'Facts that were remembered, those that fit the words best first',
      inputSchema: z.object({
        scope: z.string().describe('whose memory, such as agent:writer'),
        query: z.string().max(1_000),
        limit,
      }),
      annotations,
    },
    (wanted) => answer(async () => ({ facts: await store.memory.search(wanted) })),
  );
}

function addActing(
  server: McpServer,
  { workshop, approvals, by }: { workshop: Workshop; approvals: Approvals; by: string },
) {
  server.registerTool(
    'start_run',
    {
      description: 'Starts a run. A worker that knows the agent takes it up',
      inputSchema: z.object({
        agent: z
          .string()
          .min(1)
          .describe(
            'pipeline: the request becomes reviewed and deployed software of this project; agent: the coding agent, which leaves a branch; else an agent of a program of your own, by its name',
          ),
        input: z.string().min(1).max(1_000_000).describe('what it is to do'),
        id: z.string().max(200).optional().describe('the same id twice is one run'),
        title: z.string().max(500).optional(),
      }),
    },
    ({ agent, input, ...options }) =>
      answer(async () => {
        const { id, state } = await launch(workshop, agent, { input, ...options });
        return { run_id: id, state };
      }),
  );
  server.registerTool(
    'decide_approval',
    {
      description: 'Says yes or no to a call that waits for it. A decision stands',
      inputSchema: z.object({
        approval_id: z.string(),
        approve: z.boolean(),
        reason: z.string().max(2_000).optional().describe('why not; the agent is told'),
      }),
      annotations: { destructiveHint: true },
    },
    ({ approval_id: id, approve, reason }) =>
      answer(async () => {
        const decided = approve
          ? await approvals.approve(id, { by })
          : await approvals.deny(id, { by, reason });
        return { approval_id: id, state: decided.state, run_id: decided.runId };
      }),
  );
}

function launch(
  workshop: Workshop,
  agent: string,
  { input, ...options }: { readonly input: string; readonly id?: string; readonly title?: string },
): Promise<RunRow> {
  switch (agent) {
    case topAgents.pipeline:
      return workshop.launchPipeline(input, options);
    case topAgents.agent:
      return workshop.launchAgent(input, options);
    default:
      return workshop.runtime.launch(agent, input, options);
  }
}

/** What went wrong by the caller's doing is an answer too, and says what to do. */
async function answer(work: () => Promise<Record<string, unknown>>): Promise<Answer> {
  try {
    const structuredContent = await work();
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    };
  } catch (error) {
    if (!ForgeError.is(error)) throw error;
    return {
      content: [{ type: 'text', text: `${error.code}: ${messageOf(error)}` }],
      isError: true,
    };
  }
}
