import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import {
  type Agent,
  defineAgent,
  defineProgram,
  defineTool,
  type JsonObject,
  type Model,
} from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import { bareAgent, projectAgent } from '@forge/pipeline/names';
import { agentTool, createApprovals, createRuntime, createWorker } from '@forge/runtime';
import { openStore } from '@forge/store';
import type { OpenWorkshop, WorkshopOptions } from '../context.ts';
import type { InterruptDesk } from '../interrupts.ts';
import { main } from '../main.ts';
import { settingsSchema } from '../settings/settings-schema.ts';
import type { Workshop } from '../workshop/workshop.ts';

type Voices = Readonly<Record<string, Model>>;

/** A folder of its own, with a store and a workshop of the agents of a test. */
export async function ground({
  agents,
  voices = {},
  settings = {},
  workshop: more = {},
}: {
  readonly agents: readonly Agent[];
  readonly voices?: Voices;
  readonly settings?: JsonObject;
  readonly workshop?: Partial<Workshop>;
}) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-runs-'));
  const file = join(folder, 'runs.db');
  const store = await openStore(file);
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const opened: WorkshopOptions[] = [];
  const openWorkshop: OpenWorkshop = async (options) => {
    opened.push(options);
    return { ...(await testWorkshop({ file, folder, agents, voices, settings })), ...more };
  };
  const forge = async (
    args: readonly string[],
    options: {
      readonly stdin?: Readable;
      readonly interrupts?: InterruptDesk;
      readonly onError?: (text: string) => void;
      /** Called while the command puts a run on record. */
      readonly launching?: () => void;
      /** Instead of the one of this place. */
      readonly openWorkshop?: OpenWorkshop;
    } = {},
  ) => {
    let stdout = '';
    let stderr = '';
    const { onError, launching, openWorkshop: open = openWorkshop, ...rest } = options;
    const code = await main(args, {
      stdout: { write: (text) => (stdout += text) },
      stderr: {
        write: (text) => {
          stderr += text;
          onError?.(String(text));
        },
      },
      environment: { HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
      cwd: folder,
      openWorkshop: async (about) => {
        const workshop = await open(about);
        if (launching === undefined) return workshop;
        const launchPipeline: Workshop['launchPipeline'] = (...request) => {
          launching();
          return workshop.launchPipeline(...request);
        };
        return { ...workshop, launchPipeline };
      },
      ...rest,
    });
    return { code, stdout, stderr };
  };
  return { store, runtime: createRuntime({ store }), folder, file, forge, opened, openWorkshop };
}

/** A workshop on a store of its own, with real runs and workers, and voices that are scripted. */
export async function testWorkshop({
  file,
  folder,
  agents: given,
  voices = {},
  settings = {},
}: {
  readonly file: string;
  readonly folder: string;
  readonly agents: readonly Agent[];
  readonly voices?: Voices;
  readonly settings?: JsonObject;
}): Promise<Workshop> {
  const store = await openStore(file);
  const runtime = createRuntime({ store });
  // What commands start goes by the name of the project.
  const agents = given.map((agent) =>
    ['pipeline', 'agent', 'review', 'deploy'].includes(agent.name)
      ? { ...agent, name: projectAgent('shop', agent.name) }
      : agent,
  );
  const launch = (agent: string) => (text: string) =>
    runtime.launch(projectAgent('shop', agent), text, {
      title: text.slice(0, 200),
      labels: { 'forge.project': 'shop', 'forge.repo': folder },
    });
  return {
    settings: settingsSchema.parse(settings),
    root: folder,
    project: 'shop',
    store,
    storeAddress: file,
    runtime,
    approvals: async () => createApprovals({ store, agents }),
    deployer: async () => noDeployer,
    pipeline: () => Promise.reject(new Error('This test has no pipeline.')),
    agents: async () => agents,
    launchPipeline: launch('pipeline'),
    launchAgent: launch('agent'),
    launchReview: ({ range = 'HEAD' }) => launch('review')(range),
    launchDeploy: ({ commit = 'HEAD' }) => launch('deploy')(commit),
    startWorker: async ({ onProblem, view } = {}) =>
      createWorker({
        store: view?.(store) ?? store,
        agents,
        model: ({ name }) => voices[bareAgent(name)] ?? new ScriptedModel([]),
        onProblem: ({ error }) => onProblem?.(String(error)),
      }),
    close: () => store.close(),
  };
}

const deploysNothing = () => Promise.reject(new Error('This test deploys nothing.'));
const noDeployer: Awaited<ReturnType<Workshop['deployer']>> = {
  check: deploysNothing,
  deploy: deploysNothing,
  verify: deploysNothing,
  rollback: deploysNothing,
  withdraw: deploysNothing,
  history: deploysNothing,
  health: deploysNothing,
};

/** A pipeline of two steps, the second after the first. */
export const pipeline = defineProgram({
  name: 'pipeline',
  tools: [
    agentTool({ agent: 'planner', name: 'plan', description: 'Plans.' }),
    agentTool({ agent: 'coder', name: 'code', description: 'Writes code.' }),
  ],
  program: ({ input: [request = ''], calls }) => {
    const failed = calls.find(({ status }) => status === 'failed');
    if (failed !== undefined) return { type: 'fail', explanation: failed.text };
    const [plan, code] = calls;
    if (plan === undefined) {
      return { type: 'call', calls: [{ id: 'plan#1.1', name: 'plan', args: { task: request } }] };
    }
    if (plan.status === 'open') return { type: 'call', calls: [] };
    if (code === undefined) {
      return { type: 'call', calls: [{ id: 'code#1.1', name: 'code', args: { task: plan.text } }] };
    }
    if (code.status === 'open') return { type: 'call', calls: [] };
    return {
      type: 'finish',
      output: JSON.stringify({ summary: code.text, branch: 'forge/shop', deploymentId: 'd-1' }),
    };
  },
});

export const planner = defineAgent({ name: 'planner' });

/** Writes files, after a yes where the test wants one. */
export function coder(options: { readonly approval?: boolean } = {}) {
  const written: string[] = [];
  const write = defineTool({
    name: 'write',
    description: 'Write a file',
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path'],
    },
    approval: options.approval ?? false,
    run: ({ path }) => {
      written.push(String(path));
      return 'written';
    },
  });
  return { agent: defineAgent({ name: 'coder', tools: [write] }), written };
}
