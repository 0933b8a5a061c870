import { definePipeline } from './definition/parse-pipeline.ts';
import type { PipelineDefinition, PipelineInput } from './definition/pipeline-schema.ts';

export interface DefaultPipelineOptions {
  /** How often the reviewer may send work back. */
  readonly maxReviewRounds: number;
  /** How often the work may be deployed before the run gives up. */
  readonly maxDeployAttempts: number;
  /** The most runs at once. */
  readonly parallel: number;
  /** Whether there is a place to deploy to. Without one the run ends with a reviewed branch. */
  readonly deploys: boolean;
}

/** What the work is now: the last fix, or what was merged. */
const newest = ['fix.commit', 'merge.commit'];
/** A merge stops at the first result that does not fit, and there are at most this many results. */
const mostConflicts = 20;

/**
 * Planner → coders side by side → merge → reviewer ⇄ coder → deployer → verifier, with a way back:
 * what does not verify is rolled back, fixed, reviewed and deployed again.
 */
export function defaultPipeline(options: DefaultPipelineOptions): PipelineDefinition {
  const { maxReviewRounds, parallel, deploys } = options;
  const base = coding(maxReviewRounds);
  const rest = deploys ? deploying(options) : withoutDeploying;
  return definePipeline({
    name: 'default',
    description: 'A request becomes reviewed software, deployed and verified.',
    input: {
      type: 'object',
      properties: {
        request: { type: 'string', minLength: 1, description: 'What is wanted.' },
        commit: {
          type: 'string',
          pattern: '^[0-9a-f]{40,64}$',
          description: 'The commit to begin with.',
        },
        deploy: { type: 'boolean', description: 'False: stop before anything is deployed.' },
      },
      required: ['request', 'commit', 'deploy'],
    },
    output: {
      summary: 'plan.summary',
      commit: 'publish.commit',
      branch: 'publish.branch',
      review: 'review.summary',
      ...rest.output,
    },
    nodes: { ...base.nodes, ...rest.nodes, publish },
    edges: [...base.edges, ...rest.edges],
    parallel,
  });
}

type Part = Pick<PipelineInput, 'nodes' | 'edges' | 'output'> & {
  readonly edges: NonNullable<PipelineInput['edges']>;
};

/** What is deployed and published is what the reviewer says it has looked at. */
const reviewed = 'review.commit';

const publish = {
  agent: 'publisher',
  input: { commit: reviewed, request: 'input.request' },
};

function coding(maxReviewRounds: number): Part {
  return {
    nodes: {
      plan: { agent: 'planner', input: { request: 'input.request', commit: 'input.commit' } },
      code: {
        agent: 'coder',
        each: { items: 'plan.tasks', as: 'task', key: 'id', after: 'dependsOn' },
        input: {
          commit: 'input.commit',
          task: 'task',
          request: 'input.request',
          plan: 'plan',
          done: 'done',
        },
      },
      merge: {
        agent: 'merger',
        input: {
          base: ['resolve.commit', 'input.commit'],
          results: 'code',
          after: { optional: 'merge.conflict.commit' },
        },
      },
      resolve: {
        agent: 'coder',
        input: {
          commit: 'merge.commit',
          request: 'input.request',
          plan: 'plan',
          conflict: 'merge.conflict',
        },
      },
      review: {
        agent: 'reviewer',
        input: { base: 'input.commit', commit: newest, request: 'input.request', plan: 'plan' },
      },
      fix: {
        agent: 'coder',
        input: {
          commit: newest,
          request: 'input.request',
          plan: 'plan',
          findings: 'review.findings',
        },
      },
    },
    edges: [
      { from: 'plan', to: 'code' },
      { from: 'code', to: 'merge' },
      { from: 'merge', to: 'resolve', when: { ref: 'merge.status', is: 'conflict' } },
      {
        from: 'resolve',
        to: 'merge',
        loop: { max: mostConflicts, exhausted: 'the work of the coders could not be merged' },
      },
      { from: 'merge', to: 'review', when: { ref: 'merge.status', is: 'merged' } },
      { from: 'fix', to: 'review' },
      {
        from: 'review',
        to: 'fix',
        when: { ref: 'review.verdict', is: 'fail' },
        loop: {
          max: maxReviewRounds,
          name: 'agents.reviewer.max_review_rounds',
          because: 'review.summary',
        },
      },
    ],
  };
}

const passed = { ref: 'review.verdict', is: 'pass' };

const withoutDeploying: Part = {
  nodes: {},
  edges: [{ from: 'review', to: 'publish', when: passed }],
};

function deploying({ maxReviewRounds, maxDeployAttempts }: DefaultPipelineOptions): Part {
  const fix = coding(maxReviewRounds).nodes.fix;
  const tried = maxDeployAttempts === 1 ? 'the only attempt' : `${maxDeployAttempts} attempts`;
  return {
    nodes: {
      ...(fix !== undefined && {
        fix: { ...fix, input: { ...fix.input, problems: { optional: 'rollback.problems' } } },
      }),
      deploy: { agent: 'deployer', input: { commit: reviewed } },
      verify: {
        agent: 'verifier',
        input: { deployment: 'deploy', plan: 'plan', request: 'input.request' },
      },
      rollback: {
        agent: 'rollback',
        input: { deployment: 'deploy', verification: 'verify' },
      },
    },
    edges: [
      {
        from: 'review',
        to: 'deploy',
        when: { all: [passed, { ref: 'input.deploy', is: true }] },
      },
      {
        from: 'review',
        to: 'publish',
        when: { all: [passed, { ref: 'input.deploy', is: false }] },
      },
      { from: 'deploy', to: 'verify' },
      { from: 'verify', to: 'publish', when: { ref: 'verify.verdict', is: 'pass' } },
      { from: 'verify', to: 'rollback', when: { ref: 'verify.verdict', is: 'fail' } },
      {
        from: 'rollback',
        to: 'fix',
        loop: {
          max: maxDeployAttempts - 1,
          exhausted: `still red after rollback: ${tried} to deploy did not pass verification (max_deploy_attempts is ${maxDeployAttempts})`,
          because: 'verify.summary',
        },
      },
    ],
    output: { deployment: 'deploy', verification: 'verify.summary' },
  };
}
