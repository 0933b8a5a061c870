import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProgramCall } from '@forge/core';
import fc from 'fast-check';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';
import { answers, build, drawn, input, picks } from './drawn-pipeline.test.ts';
import { pipelineProgress } from './pipeline-progress.ts';
import { planPipeline } from './plan-pipeline.ts';
import { resultOf, type Simulated, simulate } from './simulate.test.ts';

const orders = fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000));

function run(checked: CheckedPipeline, seed: number, order: number, failures: number): Simulated {
  const answer = answers(seed, failures);
  return simulate(planPipeline(checked), { input, answer, pick: picks(order) });
}

describe('a planned pipeline, whatever it is and whatever comes back', () => {
  it('ends, within its bounds, and never uses the id of a call twice', () => {
    fc.assert(
      fc.property(drawn, orders, fc.nat(120), (pipeline, [seed, order], failures) => {
        const checked = build(pipeline);
        const { ids, mostOpen, end } = run(checked, seed, order, failures);
        assert.equal(new Set(ids).size, ids.length);
        assert.ok(mostOpen <= pipeline.parallel);
        const rounds = 1 + checked.loops.reduce((sum, { loop }) => sum + loop.max, 0);
        for (const id of ids) {
          const [, round, attempt] = /#(\d+)\.(\d+)$/.exec(id) ?? [];
          assert.ok(Number(round) <= rounds, id);
          assert.ok(Number(attempt) <= 3, id);
        }
        if (end.type === 'fail') {
          assert.match(end.explanation, /\bn\d\b.*failed/);
          assert.doesNotMatch(end.explanation, /was changed/);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('begins a node only when everything before it is through', () => {
    fc.assert(
      fc.property(drawn, orders, fc.nat(120), (pipeline, [seed, order], failures) => {
        const checked = build(pipeline);
        for (const { view, step } of run(checked, seed, order, failures).steps) {
          if (step.type !== 'call') continue;
          for (const { name } of step.calls) {
            const node = checked.nodes[checked.indexOf.get(name) ?? 0];
            const through = (one: ProgramCall) => one.status !== 'open';
            const before = view.calls.filter((call) => node?.upstream.has(call.name));
            assert.ok(before.every(through), `${name} begins while something before it runs`);
            if (node?.isStart) continue;
            const sources = checked.definition.edges.filter(({ to }) => to === name);
            const hasRun = sources.some(({ from }) =>
              view.calls.some((call) => call.name === from && call.status === 'ok'),
            );
            assert.ok(
              hasRun || sources.some(({ from }) => pipeline.nodes[Number(from.slice(1))]?.each),
              name,
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('goes on with another pipeline only where that would have made the same calls', () => {
    fc.assert(
      fc.property(drawn, drawn, orders, (pipeline, other, [seed, order]) => {
        const changed = build(other);
        const { calls: own, end } = run(changed, seed, order, 0);
        // One that fails before it has made them all need not have come to the others.
        fc.pre(end.type === 'finish');
        for (const { view } of run(build(pipeline), seed, order, 0).steps) {
          if (planPipeline(changed)(view).type === 'fail') continue;
          for (const { id, args } of view.calls) {
            assert.deepEqual(own.find((call) => call.id === id)?.args, args, id);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says the same of the same view, wherever and however often it is asked', () => {
    fc.assert(
      fc.property(drawn, orders, fc.nat(120), (pipeline, [seed, order], failures) => {
        const checked = build(pipeline);
        const { steps } = run(checked, seed, order, failures);
        const other = planPipeline(build(pipeline));
        for (const { view, step } of steps.toReversed()) assert.deepEqual(other(view), step);
      }),
      { numRuns: 150 },
    );
  });

  it('does the same work with the same inputs, in whatever order results come', () => {
    fc.assert(
      fc.property(drawn, orders, fc.nat(1_000_000), (pipeline, [seed, one], other) => {
        const checked = build(pipeline);
        const work = ({ calls, end }: Simulated) => ({
          calls: Object.fromEntries(calls.map(({ id, args }) => [id, args])),
          end,
        });
        const first = run(checked, seed, one, 0);
        const second = run(checked, seed, other, 0);
        // When a loop is used up, how far the rest has come is left to chance.
        assert.equal(second.end.type, first.end.type);
        if (first.end.type === 'fail') return;
        assert.deepEqual(work(second), work(first));
        const wide = build({ ...pipeline, parallel: 100 });
        assert.deepEqual(work(run(wide, seed, other, 0)), work(first));
      }),
      { numRuns: 400 },
    );
  });

  it('is shown as it is: what runs, what is done, and at the end nothing left open', () => {
    fc.assert(
      fc.property(drawn, orders, fc.nat(60), (pipeline, [seed, order], failures) => {
        const checked = build(pipeline);
        const done = run(checked, seed, order, failures);
        for (const { view } of done.steps) {
          const shown = pipelineProgress(checked, view);
          assert.deepEqual(
            shown.map(({ id }) => id),
            checked.nodes.map(({ id }) => id),
          );
          for (const { id, status, callIds } of shown) {
            const open = view.calls.filter((call) => call.name === id && call.status === 'open');
            assert.ok(
              open.every((call) => callIds.includes(call.id)),
              id,
            );
            if (status !== 'failed') assert.equal(status === 'running', open.length > 0, id);
          }
        }
        if (done.end.type === 'fail') return;
        for (const { status } of resultOf(done).nodes) {
          assert.match(status, /^(done|skipped|dormant|failed)$/);
        }
      }),
      { numRuns: 200 },
    );
  });
});
