import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

export type AddCommand = (program: Command, context: CommandContext) => void;

export interface CommandEntry {
  /** Where it stands in the help. Those of a group stand together. */
  readonly group: string;
  readonly name: string;
  /** The same as the command's own; here so that the help does not load every command. */
  readonly description: string;
  readonly load: () => Promise<AddCommand>;
}

/** Every command of `forge`. A new one is a file in `commands/` and an entry here. */
export const commandTable: readonly CommandEntry[] = [
  {
    group: 'Begin:',
    name: 'demo',
    description: 'watch a request become reviewed, deployed and verified software',
    load: async () => (await import('./commands/demo.ts')).addDemo,
  },
  {
    group: 'Begin:',
    name: 'init',
    description: 'write a forge.yaml for this project, from what is there',
    load: async () => (await import('./commands/init.ts')).addInit,
  },
  {
    group: 'Begin:',
    name: 'config',
    description: 'the settings that hold here, and where each came from',
    load: async () => (await import('./commands/config.ts')).addConfig,
  },
  {
    group: 'Begin:',
    name: 'doctor',
    description: 'check that everything Forge needs here is there, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).addDoctor,
  },
  {
    group: 'Work:',
    name: 'run',
    description: 'turn a request into reviewed, deployed and verified software',
    load: async () => (await import('./commands/run.ts')).addRun,
  },
  {
    group: 'Work:',
    name: 'agent',
    description: 'let a coding agent do one task in a copy of a repository',
    load: async () => (await import('./commands/agent.ts')).addAgent,
  },
  {
    group: 'Work:',
    name: 'review',
    description: 'have changes reviewed: findings with severity, file and line, and a verdict',
    load: async () => (await import('./commands/review.ts')).addReview,
  },
  {
    group: 'Work:',
    name: 'deploy',
    description: 'build, start and verify a commit on a target',
    load: async () => (await import('./commands/deploy.ts')).addDeploy,
  },
  {
    group: 'Work:',
    name: 'rollback',
    description: 'give the traffic back to the deployment before',
    load: async () => (await import('./commands/rollback.ts')).addRollback,
  },
  {
    group: 'Look:',
    name: 'status',
    description: 'how this project stands, or one run',
    load: async () => (await import('./commands/status.ts')).addStatus,
  },
  {
    group: 'Look:',
    name: 'list',
    description: 'the last runs, newest first',
    load: async () => (await import('./commands/list.ts')).addList,
  },
  {
    group: 'Look:',
    name: 'logs',
    description: 'what happened in a run, as it happened',
    load: async () => (await import('./commands/logs.ts')).addLogs,
  },
  {
    group: 'Look:',
    name: 'inspect',
    description: 'all there is to know of a run: its steps, results, costs and numbers',
    load: async () => (await import('./commands/inspect.ts')).addInspect,
  },
  {
    group: 'Look:',
    name: 'replay',
    description: 'go through a log again: would every decision be the same?',
    load: async () => (await import('./commands/replay.ts')).addReplay,
  },
  {
    group: 'Steer:',
    name: 'resume',
    description: 'go on with a run that was paused, or whose process died',
    load: async () => (await import('./commands/resume.ts')).addResume,
  },
  {
    group: 'Steer:',
    name: 'cancel',
    description: 'end a run and everything it started',
    load: async () => (await import('./commands/cancel.ts')).addCancel,
  },
  {
    group: 'Steer:',
    name: 'fork',
    description: 'begin a new run from an event of another',
    load: async () => (await import('./commands/fork.ts')).addFork,
  },
  {
    group: 'Steer:',
    name: 'approve',
    description: 'say yes to what a run asks for',
    load: async () => (await import('./commands/approve.ts')).addApprove,
  },
  {
    group: 'Steer:',
    name: 'deny',
    description: 'say no to what a run asks for',
    load: async () => (await import('./commands/deny.ts')).addDeny,
  },
  {
    group: 'Steer:',
    name: 'feedback',
    description: "say whether a run did well; it is kept with the run's outcome",
    load: async () => (await import('./commands/feedback.ts')).addFeedback,
  },
  {
    group: 'Serve:',
    name: 'worker',
    description: 'work on runs until stopped',
    load: async () => (await import('./commands/worker.ts')).addWorker,
  },
  {
    group: 'Serve:',
    name: 'schedule',
    description: 'runs at set times',
    load: async () => (await import('./commands/schedule.ts')).addSchedule,
  },
  {
    group: 'Serve:',
    name: 'proxy',
    description: 'stand between any client and a model server, and make its tool calls work',
    load: async () => (await import('./commands/proxy.ts')).addProxy,
  },
  {
    group: 'Serve:',
    name: 'mcp',
    description: 'tools of MCP servers, and Forge as one',
    load: async () => (await import('./commands/mcp.ts')).addMcp,
  },
  {
    group: 'Serve:',
    name: 'backend',
    description: 'start and stop model servers on this machine',
    load: async () => (await import('./commands/backend.ts')).addBackend,
  },
  {
    group: 'Serve:',
    name: 'orchestrator',
    description: 'serve sandboxes to other machines, over gRPC',
    load: async () => (await import('./commands/orchestrator.ts')).addOrchestrator,
  },
  {
    group: 'More:',
    name: 'tools',
    description: 'see the tools of this project, and what its rules say of a call',
    load: async () => (await import('./commands/tools.ts')).addTools,
  },
  {
    group: 'More:',
    name: 'plugin',
    description: 'see what plugins a project has, and begin a new one',
    load: async () => (await import('./commands/plugin.ts')).addPlugin,
  },
  {
    group: 'More:',
    name: 'sandbox',
    description: 'run commands where they can do no harm',
    load: async () => (await import('./commands/sandbox.ts')).addSandbox,
  },
  {
    group: 'More:',
    name: 'store',
    description: 'where runs are kept: look at it, tidy it, take things out',
    load: async () => (await import('./commands/store.ts')).addStore,
  },
  {
    group: 'More:',
    name: 'completion',
    description: 'a script that lets a shell complete the commands of forge',
    load: async () => (await import('./commands/completion.ts')).addCompletion,
  },
];
