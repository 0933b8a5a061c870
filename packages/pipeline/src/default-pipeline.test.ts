import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue, ProgramCall } from '@forge/core';
import fc from 'fast-check';
import type { Code, Deployment, Merge, Plan, Review, Rollback, Verification } from './contracts.ts';
import { type DefaultPipelineOptions, defaultPipeline } from './default-pipeline.ts';
import { agentContracts } from './definition/agent-contracts.ts';
import { checkPipeline } from './definition/check-pipeline.ts';
import { drawPipeline } from './definition/draw-pipeline.ts';
import { planPipeline } from './plan/plan-pipeline.ts';
import { resultOf, type Simulated, simulate } from './plan/simulate.test.ts';

const options = { maxReviewRounds: 3, maxDeployAttempts: 2, parallel: 2, deploys: true };
const hash = (digit: number | string) => String(digit).repeat(40);
const start = hash(0);

const plan: Plan = {
  summary: 'Add a page.',
  tasks: [
    { id: 'api', title: 'API', description: 'Write it.', dependsOn: [] },
    { id: 'page', title: 'Page', description: 'Write it.', dependsOn: [] },
    { id: 'docs', title: 'Docs', description: 'Write them.', dependsOn: ['api', 'page'] },
  ],
  acceptance: [],
  risks: [],
};
const code = (commit: string): Code => ({ commit, summary: 's', files: [], checks: [] });
const merge: Merge = { status: 'merged', commit: hash(5) };
const conflict: Merge = {
  status: 'conflict',
  commit: hash(4),
  conflict: { commit: hash(2), task: 'page', files: ['a.ts'], problem: 'both changed it' },
};
const review = (verdict: 'pass' | 'fail'): Review => ({
  verdict,
  summary: `It is a ${verdict}.`,
  findings: verdict === 'pass' ? [] : [{ severity: 'high', file: 'a.ts', message: 'Wrong.' }],
  checks: [],
  commit: hash(5),
});
const deployment = (id: string): Deployment => ({
  deploymentId: id,
  target: 'process',
  commit: hash(5),
  digest: 'sha256:1',
});
const verification = (verdict: 'pass' | 'fail'): Verification => ({
  verdict,
  summary: verdict === 'pass' ? 'All is well.' : 'GET /page gave 404.',
  deploymentId: 'd1',
  healthy: true,
  tests: [],
  problems: verdict === 'pass' ? [] : ['GET /page gave 404'],
});
const rollback: Rollback = {
  status: 'rolled_back',
  from: 'd1',
  to: 'd0',
  reason: 'GET /page gave 404',
  problems: ['GET /page gave 404'],
};

/** What the agents hand on when all goes well. */
const good: Record<string, JsonValue> = {
  plan,
  'code[api]': code(hash(1)),
  'code[page]': code(hash(2)),
  'code[docs]': code(hash(3)),
  merge,
  resolve: code(hash(6)),
  review: review('pass'),
  fix: code(hash(7)),
  deploy: deployment('d1'),
  verify: verification('pass'),
  rollback,
  publish: { branch: 'forge/add-a-page', commit: hash(5) },
} as unknown as Record<string, JsonValue>;

/** Runs the pipeline: what is said of a call (`review#1`) counts, else all goes well. */
function run(
  answers: Record<string, unknown> = {},
  { deploy = true, ...change }: Partial<DefaultPipelineOptions> & { deploy?: boolean } = {},
): Simulated {
  const checked = checkPipeline(defaultPipeline({ ...options, ...change }), agentContracts());
  const answer = ({ id, name, args }: ProgramCall) => {
    const call = id.replace(/\.1$/, '');
    const value = answers[call] ?? good[call.replace(/#.*/, '')];
    if (value instanceof Error) return { failure: value.message };
    // A reviewer speaks of the commit it was given.
    const about = name === 'review' && { commit: args.commit };
    return { value: (about ? Object.assign({}, value, about) : value) as JsonValue };
  };
  const input = { request: 'Add a page.', commit: start, deploy };
  return simulate(planPipeline(checked), { input, answer });
}

const order = ({ ids }: Simulated) => ids.map((id) => id.replace(/\.1$/, ''));
const argsOf = ({ calls }: Simulated, id: string): JsonObject =>
  calls.find((call) => call.id === `${id}.1`)?.args ?? assert.fail(`${id} did not run`);
const why = ({ end }: Simulated) => (end.type === 'fail' ? end.explanation : JSON.stringify(end));
const before = ['plan#1', 'code[api]#1', 'code[page]#1', 'code[docs]#1', 'merge#1', 'review#1'];
const skipped = (done: Simulated) =>
  resultOf(done).nodes.flatMap(({ id, status }) => (status === 'done' ? [] : [`${id} ${status}`]));

describe('the default pipeline', () => {
  it('plans, codes side by side, merges, reviews, deploys, verifies and publishes', () => {
    const done = run();
    assert.deepEqual(order(done), [...before, 'deploy#1', 'verify#1', 'publish#1']);
    assert.equal(done.mostOpen, 2);
    assert.deepEqual(argsOf(done, 'code[docs]#1').done, [code(hash(1)), code(hash(2))]);
    assert.deepEqual(argsOf(done, 'code[api]#1'), {
      commit: start,
      task: plan.tasks[0],
      request: 'Add a page.',
      plan,
      done: [],
    });
    const results = [code(hash(1)), code(hash(2)), code(hash(3))];
    assert.deepEqual(argsOf(done, 'merge#1'), { base: start, results });
    assert.deepEqual(skipped(done), ['resolve skipped', 'fix dormant', 'rollback skipped']);
    assert.deepEqual(resultOf(done).output, {
      summary: plan.summary,
      commit: hash(5),
      branch: 'forge/add-a-page',
      review: 'It is a pass.',
      deployment: deployment('d1'),
      verification: 'All is well.',
    });
  });

  it('goes back to a coder with the findings of a review that failed', () => {
    const done = run({ 'review#1': review('fail') });
    assert.deepEqual(order(done), [
      ...before,
      'fix#1',
      'review#2',
      'deploy#1',
      'verify#1',
      'publish#1',
    ]);
    assert.deepEqual(argsOf(done, 'fix#1'), {
      commit: merge.commit,
      request: 'Add a page.',
      plan,
      findings: review('fail').findings,
    });
    assert.equal(argsOf(done, 'review#2').commit, hash(7));
    assert.equal(argsOf(done, 'review#2').base, start);
    assert.equal(argsOf(done, 'deploy#1').commit, hash(7));
    assert.equal(argsOf(done, 'publish#1').commit, hash(7));
  });

  it('builds each fix on the one before', () => {
    const fixes = { 'fix#1': code(hash(8)), 'fix#2': code(hash(9)) };
    const done = run({ 'review#1': review('fail'), 'review#2': review('fail'), ...fixes });
    assert.equal(argsOf(done, 'fix#2').commit, hash(8));
    assert.equal(argsOf(done, 'deploy#1').commit, hash(9));
  });

  it('fails when the reviewer is never content, and deploys nothing', () => {
    const never = Object.fromEntries(
      [1, 2, 3, 4].map((round) => [`review#${round}`, review('fail')]),
    );
    const done = run(never);
    assert.equal(
      why(done),
      'review failed: review sent the work back to fix 3 times; agents.reviewer.max_review_rounds is 3: It is a fail.',
    );
    assert.deepEqual(order(done).slice(-1), ['review#4']);
    assert.equal(order(done).includes('deploy#1'), false);
  });

  it('rolls back what does not verify, fixes it, reviews it, and deploys it again', () => {
    const done = run({ 'verify#1': verification('fail'), 'deploy#2': deployment('d2') });
    assert.deepEqual(order(done), [
      ...before,
      'deploy#1',
      'verify#1',
      'rollback#1',
      'fix#1',
      'review#2',
      'deploy#2',
      'verify#2',
      'publish#1',
    ]);
    assert.deepEqual(argsOf(done, 'rollback#1'), {
      deployment: deployment('d1'),
      verification: verification('fail'),
    });
    assert.deepEqual(argsOf(done, 'fix#1').problems, rollback.problems);
    assert.deepEqual(argsOf(done, 'verify#2').deployment, deployment('d2'));
    assert.deepEqual(resultOf(done).output.deployment, deployment('d2'));
  });

  it('gives up, rolled back, when no attempt to deploy verifies', () => {
    const red = { 'verify#1': verification('fail'), 'verify#2': verification('fail') };
    const done = run(red);
    assert.equal(
      why(done),
      'rollback failed: still red after rollback: 2 attempts to deploy did not pass verification (max_deploy_attempts is 2): GET /page gave 404.',
    );
    assert.equal(order(done).at(-1), 'rollback#2');
    const once = run(red, { maxDeployAttempts: 1 });
    assert.match(why(once), /the only attempt to deploy did not pass/);
    assert.equal(order(once).at(-1), 'rollback#1');
  });

  it('ends with a branch and deploys nothing in a dry run', () => {
    const done = run({ 'review#1': review('fail') }, { deploy: false });
    assert.deepEqual(order(done), [...before, 'fix#1', 'review#2', 'publish#1']);
    assert.deepEqual(skipped(done), [
      'resolve skipped',
      'deploy skipped',
      'verify skipped',
      'rollback skipped',
    ]);
  });

  it('has nothing to deploy with where there is no target', () => {
    const done = run({}, { deploys: false });
    assert.deepEqual(order(done), [...before, 'publish#1']);
    assert.deepEqual(skipped(done), ['resolve skipped', 'fix dormant']);
  });

  it('has a coder resolve a conflict, and then merges what is left', () => {
    const done = run({ 'merge#1': conflict });
    assert.deepEqual(order(done), [
      ...before.slice(0, -1),
      'resolve#1',
      'merge#2',
      'review#1',
      'deploy#1',
      'verify#1',
      'publish#1',
    ]);
    assert.deepEqual(argsOf(done, 'resolve#1'), {
      commit: hash(4),
      request: 'Add a page.',
      plan,
      conflict: conflict.conflict,
    });
    const { base, after } = argsOf(done, 'merge#2');
    assert.deepEqual([base, after], [hash(6), hash(2)]);
    assert.equal(argsOf(done, 'review#1').commit, merge.commit);
  });

  it('does not bring up a conflict again that was resolved', () => {
    const done = run({ 'merge#1': conflict, 'review#1': review('fail') });
    assert.equal('conflict' in argsOf(done, 'fix#1'), false);
    assert.equal(argsOf(done, 'fix#1').commit, merge.commit);
  });

  it('fails with the node and the reason when an agent does', () => {
    const done = run({ 'code[page]#1': new Error('25 turns were not enough') });
    assert.equal(why(done), 'code (coder) failed: item page: 25 turns were not enough');
    const odd = run({ 'plan#1': { ...plan, tasks: [] } });
    assert.match(why(odd), /^plan \(planner\) failed: its output does not fit: tasks/);
  });

  it('has no faults, whatever its options, and ends whatever the verdicts', () => {
    const verdicts = fc.array(fc.constantFrom('pass' as const, 'fail' as const), { maxLength: 30 });
    const drawn = fc.record({
      maxReviewRounds: fc.integer({ min: 1, max: 20 }),
      maxDeployAttempts: fc.integer({ min: 1, max: 10 }),
      parallel: fc.integer({ min: 1, max: 32 }),
      deploys: fc.boolean(),
      deploy: fc.boolean(),
    });
    fc.assert(
      fc.property(drawn, verdicts, verdicts, (given, reviews, verifications) => {
        const answers = Object.fromEntries([
          ...reviews.map((verdict, index) => [`review#${index + 1}`, review(verdict)]),
          ...verifications.map((verdict, index) => [`verify#${index + 1}`, verification(verdict)]),
        ]);
        const done = run(answers, given);
        const count = (node: string) =>
          order(done).filter((id) => id.startsWith(`${node}#`)).length;
        const sentBack = count('review') - 1;
        assert.ok(sentBack <= given.maxReviewRounds + given.maxDeployAttempts - 1);
        assert.ok(count('deploy') <= (given.deploys && given.deploy ? given.maxDeployAttempts : 0));
        const commits = (node: string) =>
          done.calls.flatMap(({ name, args }) => (name === node ? [args.commit] : []));
        for (const commit of [...commits('deploy'), ...commits('publish')]) {
          assert.ok(commits('review').includes(commit));
        }
        // Nothing is published that did not pass, and nothing that passed is left unpublished.
        assert.equal(count('publish'), done.end.type === 'finish' ? 1 : 0);
        assert.equal(
          count('rollback'),
          verifications.slice(0, count('verify')).filter((one) => one === 'fail').length,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('can be drawn', () => {
    assert.equal(
      drawPipeline(defaultPipeline({ ...options, deploys: false })),
      `plan     planner
code     coder      each plan.tasks  after plan
merge    merger                      after code; ↺ resolve (at most 20 times)
resolve  coder                       after merge when merge.status is "conflict"
fix      coder                       ↺ review when review.verdict is "fail" (at most 3 times)
review   reviewer                    after merge when merge.status is "merged", fix
publish  publisher                   after review when review.verdict is "pass"`,
    );
  });
});
