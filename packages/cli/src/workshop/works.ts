import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ForgeError, type JsonObject, messageOf } from '@forge/core';
import { bareAgent, baseLabel, createWorkspaces, projectAgent, repoLabel } from '@forge/pipeline';
import { createScheduler, createWorker, openQueue, type Queue, type Runtime } from '@forge/runtime';
import type { Store } from '@forge/store';
import { createDeployer, createTargets, type Deployer } from '@forge/targets';
import type { McpHub } from '@forge/tools/mcp';
import { loadPlugins } from '@forge/tools/plugins';
import type { CommandContext } from '../context.ts';
import { familyStore } from '../runs/family-store.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { type Crew, createCrew } from './crew.ts';
import { forgetTrees } from './forget-trees.ts';
import { configLabel, flagsLabel, projectLabel } from './labels.ts';
import { modelOfProfile, projectProfile } from './project-profiles.ts';
import { queueAddress } from './queue-address.ts';
import { reviewed, workOn } from './repository.ts';
import { processNotice, projectBackend, sandboxOptions } from './sandbox-settings.ts';
import { temporaryTree } from './temporary-tree.ts';
import { createVoices, modelLabel } from './voices.ts';
import { topAgents, type Workshop } from './workshop.ts';

export interface WorksOptions {
  readonly context: CommandContext;
  readonly settings: Settings;
  readonly root: string;
  readonly project: string;
  readonly store: Store;
  readonly runtime: Runtime;
  /** Of the store. */
  readonly address: string;
  readonly flags: JsonObject;
  readonly file: string | undefined;
}

/** The part of a workshop that works. */
export interface Works
  extends Pick<
    Workshop,
    | 'pipeline'
    | 'agents'
    | 'launchPipeline'
    | 'launchAgent'
    | 'launchReview'
    | 'launchDeploy'
    | 'startWorker'
    | 'close'
  > {
  readonly deployer: Deployer;
}

/** Milliseconds after which a run whose process was killed is taken up by the next one. */
const leaseTtl = 3_000;
const hubPatience = 10_000;
const deployers: ReadonlySet<string> = new Set(['deployer', 'verifier']);

export async function createWorks(options: WorksOptions): Promise<Works> {
  const { context, settings, root, project, store, runtime, address, flags, file } = options;
  const { config, signal } = context;
  const { variable } = config;
  const plugins = await loadPlugins({ root, also: settings.plugins });
  for (const { name, problem } of plugins.problems) context.terminal().err(`${name}: ${problem}`);
  const targets = createTargets(
    Object.assign({}, ...plugins.loaded.map((plugin) => plugin.targets)),
  );
  const deployer = createDeployer({
    deployments: store.deployments,
    targets,
    // Two projects of one name are two places.
    folder: join(config.stateFolder, 'targets', keyOf(root)),
    checkout: (commit, until) => temporaryTree(root, commit, until),
  });
  let backend: ReturnType<typeof projectBackend> | undefined;
  const sandboxes = () => {
    backend ??= projectBackend(settings.sandbox, signal);
    return backend;
  };
  const workspaces = createWorkspaces({
    store,
    backend: sandboxes,
    sandboxOptions: sandboxOptions(settings.sandbox),
  });
  const profile = await projectProfile({ settings, root }, flags);
  const voices = createVoices({ settings, variable, root, profileModel: modelOfProfile(profile) });
  let hub: McpHub | undefined;
  let connecting: Promise<void> | undefined;
  let queue: Queue | undefined;
  let crew: { readonly hub: McpHub | undefined; readonly made: Promise<Crew> } | undefined;
  let forgetting: Promise<void> | undefined;
  /** Tools of MCP servers are there once their servers answer. */
  const connect = () => {
    connecting ??= connectHub();
    return connecting;
  };
  const connectHub = async () => {
    const { createMcpHub, mcpFiles } = await import('@forge/tools/mcp');
    hub = await createMcpHub({
      places: mcpFiles(config.configFolder),
      servers: settings.mcp ?? {},
      readVariable: variable,
      callersAskPeople: true,
    });
    await hub.ready(AbortSignal.any([signal, AbortSignal.timeout(hubPatience)]));
  };
  const crewOf = async () => {
    if (namesServerTools(settings)) await connect();
    if (crew === undefined || crew.hub !== hub) {
      const all = { settings, root, project, store, workspaces, deployer, plugins };
      crew = { hub, made: createCrew({ ...all, hub, profile }) };
    }
    return crew.made;
  };
  // What is about this process is not about the run, and may hold passwords.
  const { queue: _, store: __, worker: ___, ...ofRun } = flags;
  const redact = (text: string) => store.redactor?.redact(text) ?? text;
  const pinned = typeof flags.model === 'string' ? flags.model : undefined;
  const labels = (work: { readonly repo: string; readonly commit: string }) => ({
    [repoLabel]: work.repo,
    [baseLabel]: work.commit,
    [projectLabel]: project,
    ...(Object.keys(ofRun).length > 0 && { [flagsLabel]: redact(JSON.stringify(ofRun)) }),
    ...(file !== undefined && { [configLabel]: file }),
    ...(pinned !== undefined && { [modelLabel]: pinned }),
  });
  /** Everything that has to be there for these agents, asked before a run begins. */
  const ready = async (...names: readonly string[]) => {
    const { agents } = await crewOf();
    const wanted = agents.filter(({ name }) => names.includes(bareAgent(name)));
    voices.check(wanted, pinned);
    await sandboxes();
  };
  const launch = (agent: string, input: unknown, how: Parameters<typeof runtime.launch>[2]) =>
    runtime.launch(projectAgent(project, agent), JSON.stringify(input), how);
  const hasTarget = () => {
    const { target } = settings.deploy;
    if (target !== undefined) targets.get(target);
    return target !== undefined;
  };

  return {
    deployer,
    pipeline: async () => (await crewOf()).pipeline,
    agents: async () => (await crewOf()).agents,
    async launchPipeline(request, { base, dryRun = false, title, id }) {
      const work = await workOn(root, base);
      const deploy = hasTarget() && !dryRun;
      const { pipeline } = await crewOf();
      const named = pipeline.nodes.map(({ definition }) => definition.agent);
      await ready(...named.filter((name) => deploy || !deployers.has(name)));
      const input = { request, commit: work.commit, deploy };
      const how = { title: title ?? titleOf(request), labels: labels(work), ...(id && { id }) };
      return launch(topAgents.pipeline, input, how);
    },
    async launchAgent(task, { base, title, id }) {
      const work = await workOn(root, base);
      await ready(topAgents.agent);
      const input = { commit: work.commit, request: task };
      const how = { title: title ?? titleOf(task), labels: labels(work), ...(id && { id }) };
      return launch(topAgents.agent, input, how);
    },
    async launchReview({ range }) {
      const work = await reviewed(root, range);
      await ready('reviewer');
      const { base, commit } = work;
      const title = `Review ${range ?? `${base.slice(0, 8)}..${commit.slice(0, 8)}`}`;
      return launch('reviewer', { base, commit }, { title, labels: labels(work) });
    },
    async launchDeploy({ commit }) {
      if (!hasTarget()) {
        throw new ForgeError(
          'invalid_options',
          `No target is configured. Set deploy.target in forge.yaml, or give --target. Targets: ${targets.names().join(', ')}.`,
        );
      }
      const work = await workOn(root, commit);
      await crewOf();
      const title = `Deploy ${work.commit.slice(0, 8)}`;
      return launch(topAgents.deploy, { commit: work.commit }, { title, labels: labels(work) });
    },
    async startWorker({
      concurrency = settings.worker.concurrency,
      onProblem = () => {},
      only,
      view = only === undefined ? undefined : (all: Store) => familyStore(all, only),
      schedules = only === undefined,
    } = {}) {
      if (settings.sandbox.backend === 'process') onProblem(processNotice);
      forgetting ??= forgetTrees(root, store).catch((error: unknown) =>
        onProblem(messageOf(error)),
      );
      await connect();
      const { agents } = await crewOf();
      queue ??= await openQueue(queueAddress(settings.queue, address), { store });
      const scheduler = schedules ? createScheduler({ store }) : undefined;
      const worker = createWorker({
        store: view?.(store) ?? store,
        queue,
        agents,
        model: voices.modelOf,
        concurrency,
        leaseTtl,
        onRest: (runId) => {
          // What it needs of its tree is kept as a commit.
          workspaces.release(runId).catch((error: unknown) => onProblem(messageOf(error)));
        },
        onProblem: ({ what, runId, error }) =>
          onProblem(`${what}${runId === undefined ? '' : ` of ${runId}`}: ${messageOf(error)}`),
      });
      return {
        owner: worker.owner,
        get active() {
          return worker.active;
        },
        idle: () => worker.idle(),
        stop: async (how) => {
          await scheduler?.stop();
          await worker.stop(how);
        },
      };
    },
    async close() {
      await forgetting;
      await workspaces.close();
      await hub?.close();
      await queue?.close();
      await (await backend?.catch(() => undefined))?.close();
    },
  };
}

/** Whether an agent cannot be made without the MCP server that has a tool of it. */
function namesServerTools({ agents }: Settings): boolean {
  return Object.values(agents).some(({ tools = [] }) => tools.some((name) => name.includes('__')));
}

function keyOf(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

const longestTitle = 100;

function titleOf(request: string): string {
  const [line = ''] = request.trim().split('\n');
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
}
