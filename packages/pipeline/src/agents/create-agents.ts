import { type Agent, defineAgent, type Limits, type Tool } from '@forge/core';
import type { CreateToolsOptions } from '@forge/tools';
import { agentDefaults, patience, usualReplyTokens } from './agent-defaults.ts';
import type { AgentSettings } from './agent-settings.ts';
import { runChecks } from './checks/check-record.ts';
import { runChecksTool } from './checks/run-checks-tool.ts';
import { finishTool } from './coder/finish-tool.ts';
import { defineCustomAgent } from './custom/custom-agent.ts';
import { deployTools } from './deployer/deploy-tools.ts';
import { judgeDeployment, judgeReview, judgeVerification } from './judge-output.ts';
import { submitPlanTool } from './planner/submit-plan-tool.ts';
import type { DeployPort, RunPort, WorkspacePort } from './ports.ts';
import type { Profile } from './profiles/profile.ts';
import { createMerger } from './programs/merger.ts';
import { createPublisher } from './programs/publisher.ts';
import { createRollback } from './programs/rollback.ts';
import type { SandboxFacts } from './prompt/describe-sandbox.ts';
import { loadPrompt, promptNames } from './prompt/load-prompt.ts';
import type { ProjectFiles } from './prompt/project-files.ts';
import { projectRules } from './prompt/project-rules.ts';
import { renderPrompt } from './prompt/render-prompt.ts';
import { reviewDiff, reviewDiffTool } from './reviewer/review-diff-tool.ts';
import { submitReviewTool } from './reviewer/submit-review-tool.ts';
import { createToolSets } from './tool-sets.ts';
import { healthCheck } from './verifier/evidence.ts';
import type { HttpLimits } from './verifier/http-request.ts';
import { verifyTools } from './verifier/verify-tools.ts';

export interface CreateAgentsOptions {
  readonly workspace: WorkspacePort;
  readonly deploy: DeployPort;
  readonly runs: RunPort;
  readonly sandbox: SandboxFacts;
  /** Where the project's rules and prompts are. */
  readonly project?: ProjectFiles;
  /** What `forge.yaml` says of agents, by name. */
  readonly settings?: Readonly<Record<string, AgentSettings>>;
  /** The project's check commands. None: what its files say. */
  readonly checks?: readonly string[];
  /** For every agent with a model: tokens, cost, time. */
  readonly limits?: Partial<Limits>;
  /** For the coding agent: what it is to keep to, and its turns. */
  readonly profile?: Profile;
  /** Texts of plugins. One named after an agent stands in for ours, the others are added to all. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** More tools for coders and agents of one's own: of plugins, of MCP servers. */
  readonly tools?: readonly Tool[];
  /** Put onto the tools of every agent, last: rules, budgets, what is switched off. */
  readonly policy?: (tools: readonly Tool[], agent: string) => readonly Tool[];
  /** For the built-in tools: an archive that outlives the process, where to fetch, and so on. */
  readonly builtin?: Omit<CreateToolsOptions, 'sandbox'>;
  /** A person has to say yes to each deployment. */
  readonly deployApproval?: boolean;
  readonly deployTimeoutMs?: number;
  readonly checkTimeoutMs?: number;
  readonly http?: HttpLimits;
  /** A line of what a deployment does, for people. */
  readonly tell?: (runId: string, line: string) => void;
}

export interface Agents {
  readonly planner: Agent;
  readonly coder: Agent;
  readonly merger: Agent;
  readonly reviewer: Agent;
  readonly deployer: Agent;
  readonly verifier: Agent;
  readonly rollback: Agent;
  readonly publisher: Agent;
  /** The coder on its own, given a task in plain words; leaves a branch. */
  readonly codingAgent: Agent;
  /** An agent of the configuration. */
  customAgent(name: string, settings: AgentSettings): Promise<Agent>;
}

/** What one agent has that others have not. */
interface Part {
  /** Whose words it follows. */
  readonly prompt: string;
  readonly tools: readonly Tool[];
  readonly terminal: string;
  readonly requiredSteps?: readonly string[];
  readonly judge?: Agent['judge'];
  readonly limits?: Partial<Limits>;
  readonly profile?: Profile | undefined;
}

/**
 * The agents of a project. Which model each speaks with is not said here: that is the router's.
 *
 * @example
 * const { coder, reviewer } = await createAgents({ workspace, deploy, runs, sandbox });
 */
export async function createAgents(options: CreateAgentsOptions): Promise<Agents> {
  const { workspace, deploy, runs, project, settings = {}, limits = {}, prompts = {} } = options;
  const policy = options.policy ?? ((tools) => tools);
  const rules = await projectRules(project);
  const extensions = Object.fromEntries(
    Object.entries(prompts).filter(([name]) => !(promptNames as readonly string[]).includes(name)),
  );
  const { results, looking, working } = createToolSets(workspace, options.builtin);
  const checks = runChecksTool({
    workspace,
    results,
    ...(options.checks !== undefined && { commands: options.checks }),
    ...(options.checkTimeoutMs !== undefined && { timeoutMs: options.checkTimeoutMs }),
  });
  const finish = finishTool({ workspace, runs });
  const coding = [...working, ...(options.tools ?? []), checks];

  const make = async (name: string, part: Part): Promise<Agent> => {
    const own = settings[name] ?? {};
    const { prompt: promptName, profile } = part;
    const file = own.prompt ?? settings[promptName]?.prompt;
    const prompt = await loadPrompt({
      name: promptName,
      project,
      file,
      plugin: prompts[promptName],
    });
    const tools = policy(part.tools, name);
    const turns = profile?.maxIterations ?? own.max_iterations;
    return defineAgent({
      name,
      instructions: renderPrompt(prompt, {
        tools,
        sandbox: options.sandbox,
        rules,
        scope: profile?.promptScope,
        extensions,
      }),
      tools,
      terminalTools: [part.terminal],
      ...(part.requiredSteps !== undefined && { requiredSteps: part.requiredSteps }),
      limits: { ...patience, ...part.limits, ...limits, ...(turns !== undefined && { turns }) },
      context: {
        reserveForReply: own.max_tokens ?? agentDefaults[name]?.maxTokens ?? usualReplyTokens,
      },
      taskType: own.task_type ?? agentDefaults[name]?.taskType ?? name,
      version: prompt.version,
      ...(part.judge !== undefined && { judge: part.judge }),
    });
  };

  const [planner, coder, codingAgent, reviewer, deployer, verifier] = await Promise.all([
    make('planner', {
      prompt: 'planner',
      tools: [...looking, submitPlanTool()],
      terminal: 'submit_plan',
    }),
    make('coder', { prompt: 'coder', tools: [...coding, finish], terminal: 'finish' }),
    make('agent', {
      prompt: 'coder',
      tools: [...coding, finishTool({ workspace, runs, branch: true })],
      terminal: 'finish',
      profile: options.profile,
    }),
    make('reviewer', {
      prompt: 'reviewer',
      tools: [
        ...looking,
        reviewDiffTool({ workspace, runs, results }),
        checks,
        submitReviewTool({ workspace, runs }),
      ],
      terminal: 'submit_review',
      requiredSteps: [reviewDiff, runChecks],
      judge: judgeReview,
    }),
    make('deployer', {
      prompt: 'deployer',
      tools: deployTools({
        deploy,
        runs,
        ...(options.deployApproval !== undefined && { approval: options.deployApproval }),
        ...(options.deployTimeoutMs !== undefined && { timeoutMs: options.deployTimeoutMs }),
        ...(options.tell !== undefined && { tell: options.tell }),
      }),
      terminal: 'deploy',
      // What failed twice in a row will not work the third time.
      limits: { toolErrors: 1 },
      judge: judgeDeployment,
    }),
    make('verifier', {
      prompt: 'verifier',
      tools: verifyTools({ deploy, runs, http: options.http }),
      terminal: 'submit_verification',
      requiredSteps: [healthCheck],
      judge: judgeVerification,
    }),
  ]);

  return {
    planner,
    coder,
    codingAgent,
    reviewer,
    deployer,
    verifier,
    merger: createMerger(workspace),
    publisher: createPublisher(workspace),
    rollback: createRollback({
      deploy,
      ...(options.deployTimeoutMs !== undefined && { timeoutMs: options.deployTimeoutMs }),
      ...(options.tell !== undefined && { tell: options.tell }),
    }),
    customAgent: (name, own) =>
      defineCustomAgent({
        name,
        settings: own,
        pool: policy([...coding, finish], name),
        project,
        plugin: prompts[name],
        sections: { sandbox: options.sandbox, rules, extensions },
        limits,
      }),
  };
}
