import type { JsonValue, ProgramCall, ProgramView } from '@forge/core';
import type { CheckedLoop, CheckedNode, CheckedPipeline } from '../definition/compile-pipeline.ts';
import { type Attempt, followAttempts, type Start } from './attempt.ts';
import { compareCalls } from './compare-calls.ts';
import { conditionHolds } from './condition-holds.ts';
import { describeExhausted } from './explain.ts';
import { followItems } from './follow-items.ts';
import { isSettled, type NodeTrace, resetForRound } from './node-trace.ts';
import { readInput } from './read-input.ts';
import { readItems } from './read-items.ts';
import { type Lookup, resolveAll, resolveRef } from './resolve-ref.ts';

export interface Failure {
  readonly policy: 'stop' | 'finish';
  readonly explanation: string;
}

/** Where a run of a pipeline stands. */
export interface Trace {
  /** In the order of `checked.nodes`. */
  readonly nodes: readonly NodeTrace[];
  /** What may begin, first come first. */
  readonly starts: readonly Start[];
  readonly failures: readonly Failure[];
  readonly open: number;
  /** A call that the pipeline would not have made. Looked for while nothing has failed. */
  readonly unexplained: ProgramCall | undefined;
  /** What a word of a reference stands for now, for the end of the run. */
  readonly lookup: Lookup;
}

/**
 * Reads off the calls of a run where it stands, from nothing else: neither clocks nor the order in
 * which results came. Each node is settled once, sources first. Then loops go back, together with
 * those they touch, as soon as everything they do anew has settled; and what they do anew is
 * settled once more. The work is proportional to nodes, edges and calls, for each time a loop goes
 * back to what follows it.
 */
export function tracePipeline(checked: CheckedPipeline, view: ProgramView): Trace {
  return new Tracing(checked, view).trace();
}

class Tracing {
  readonly #checked: CheckedPipeline;
  readonly #input: JsonValue | undefined;
  readonly #calls: ReadonlyMap<string, ProgramCall>;
  readonly #comparison: ReturnType<typeof compareCalls>;
  readonly #attempts = new Map<string, number>();
  readonly #nodes: readonly NodeTrace[];
  readonly #counts: number[];
  /** By group: what loops see of nodes that do not come before them, as it was when they last went back. */
  readonly #before: readonly Map<string, JsonValue>[];
  readonly #failures: Failure[] = [];
  readonly #starts = new Map<number, readonly Start[]>();
  #open = 0;

  constructor(checked: CheckedPipeline, view: ProgramView) {
    this.#checked = checked;
    const input = readInput(checked, view);
    if (input.ok) this.#input = input.value;
    else this.#failures.push({ policy: 'stop', explanation: input.reason });
    this.#calls = new Map(view.calls.map((call) => [call.id, call]));
    this.#comparison = compareCalls(checked, view.calls);
    for (const { name, status } of view.calls) {
      if (status === 'open') this.#open++;
      this.#attempts.set(name, (this.#attempts.get(name) ?? 0) + 1);
    }
    this.#nodes = checked.nodes.map(({ id }) => ({
      status: 'pending',
      isLeftOut: false,
      isHeld: false,
      isTriggered: false,
      round: 0,
      attempt: 0,
      attempts: this.#attempts.get(id) ?? 0,
      callIds: [],
    }));
    this.#counts = checked.loops.map(() => 0);
    this.#before = checked.groups.map(() => new Map());
  }

  trace(): Trace {
    if (this.#failures.length === 0) {
      this.#settle(this.#checked.nodes.keys());
      for (let group = this.#groupToGoBack(); group !== undefined; group = this.#groupToGoBack()) {
        this.#settle(this.#goBack(group));
      }
    }
    const starts = [...this.#starts].sort(([a], [b]) => a - b).flatMap(([, calls]) => calls);
    const lookup: Lookup = (root) => (root === 'input' ? this.#input : this.#outputOf(root));
    const failures = this.#failures;
    // A failure keeps loops from going back: what they led to is not looked at.
    const unexplained = failures.length > 0 ? undefined : this.#comparison.unexplained();
    return { nodes: this.#nodes, starts, failures, open: this.#open, unexplained, lookup };
  }

  #settle(indices: Iterable<number>): void {
    for (const index of indices) {
      const node = this.#checked.nodes[index];
      const state = this.#nodes[index];
      if (node !== undefined && state !== undefined) this.#settleNode(node, state, index);
    }
  }

  #settleNode(node: CheckedNode, state: NodeTrace, index: number): void {
    let fires = node.isStart || state.isTriggered;
    for (const { from, when } of node.into) {
      const source = this.#nodes[from];
      if (source === undefined || !isSettled(source)) return;
      fires ||= source.status === 'done' && conditionHolds(when, this.#seenAfter(from));
    }
    if (!fires) {
      state.status = node.into.length === 0 ? 'dormant' : 'skipped';
      return;
    }
    state.round++;
    this.#run(node, state, index);
    if (state.status === 'done') this.#holdForLoops(node, state, index);
  }

  #run(node: CheckedNode, state: NodeTrace, index: number): void {
    const { each } = node.definition;
    if (each !== undefined) {
      this.#runEach(node, state, index, each);
      return;
    }
    const attempt = this.#follow(node, state.round, this.#seenBy(node));
    state.attempt = attempt.attempt;
    state.callIds = attempt.callId === undefined ? [] : [attempt.callId];
    state.status = attempt.status;
    if (attempt.status === 'done') state.output = attempt.value;
    if (attempt.status === 'ready') this.#starts.set(index, [attempt.start]);
    if (attempt.status === 'failed') this.#fail(node, state, attempt.reason);
  }

  #runEach(
    node: CheckedNode,
    state: NodeTrace,
    index: number,
    each: NonNullable<CheckedNode['definition']['each']>,
  ): void {
    const seen = this.#seenBy(node);
    const items = readItems(resolveRef(each.items, seen), each);
    if (!items.ok) {
      this.#fail(node, state, items.reason);
      return;
    }
    const traces = followItems(items, ({ key, value }, done) => {
      const lookup: Lookup = (root) =>
        root === each.as ? value : root === 'done' ? done : seen(root);
      return this.#follow(node, state.round, lookup, key);
    });
    state.items = traces;
    state.attempt = Math.max(0, ...traces.map(({ attempt }) => attempt));
    state.callIds = traces.flatMap(({ callId }) => callId ?? []);
    const starts = traces.flatMap((item) => (item.status === 'ready' ? [item.start] : []));
    if (starts.length > 0) this.#starts.set(index, starts);
    const failed = traces.find((item) => item.status === 'failed');
    const outputs = traces.flatMap((item) => (item.status === 'done' ? [item.value] : []));
    const isOpen = traces.some(({ status }) => /^(ready|running|pending)$/.test(status));
    if (failed?.status === 'failed' && node.definition.onFailure !== 'continue') {
      this.#fail(node, state, `item ${failed.key}: ${failed.reason}`);
    } else if (isOpen) {
      state.status = traces.some(({ status }) => status === 'running') ? 'running' : 'ready';
    } else if (failed?.status === 'failed' && outputs.length === 0) {
      this.#fail(node, state, `item ${failed.key}: ${failed.reason}`);
    } else {
      state.status = 'done';
      state.output = outputs;
    }
  }

  #follow(node: CheckedNode, round: number, lookup: Lookup, key?: string): Attempt {
    return followAttempts({
      calls: this.#calls,
      node: node.id,
      ...(key !== undefined && { key }),
      round,
      retries: node.definition.retries,
      input: node.input,
      output: node.output,
      argsFor: (failure) =>
        resolveAll(node.definition.input, (root) => (root === 'failure' ? failure : lookup(root))),
      onCall: (call, args) => this.#comparison.makes(call, args),
    });
  }

  #fail(node: CheckedNode, state: NodeTrace, reason: string): void {
    const policy = node.definition.onFailure ?? this.#checked.definition.onFailure;
    state.status = 'failed';
    state.reason = reason;
    state.isLeftOut = policy === 'continue';
    if (policy === 'continue') return;
    const tries = state.attempt > 1 ? ` after ${state.attempt} attempts` : '';
    const explanation = `${node.id} (${node.definition.agent}) failed${tries}: ${reason}`;
    this.#failures.push({ policy, explanation });
  }

  #holdForLoops(node: CheckedNode, state: NodeTrace, index: number): void {
    for (const edge of node.loops) {
      if (!conditionHolds(edge.when, this.#seenAfter(index))) continue;
      state.isHeld = true;
      if ((this.#counts[edge.index] ?? 0) < edge.loop.max) continue;
      const { because } = edge.loop;
      const why = because === undefined ? undefined : resolveRef(because, this.#seenAfter(index));
      const target = this.#checked.nodes[edge.to]?.id ?? '';
      this.#failures.push({
        policy: this.#checked.definition.onFailure,
        explanation: describeExhausted({ from: node.id, to: target, loop: edge.loop, why }),
      });
    }
  }

  /** A group with a loop that goes back, and nothing left to wait for but what follows its source. */
  #groupToGoBack(): number | undefined {
    if (this.#failures.length > 0) return undefined;
    const group = this.#checked.groups.findIndex((members) => {
      if (!members.some((index) => this.#nodes[index]?.isHeld)) return false;
      const beyond = new Set<number>();
      return members.every((index) => {
        const state = this.#nodes[index];
        const into = this.#checked.nodes[index]?.into ?? [];
        if (into.some(({ from }) => this.#nodes[from]?.isHeld || beyond.has(from))) {
          beyond.add(index);
        }
        return beyond.has(index) || state === undefined || state.isHeld || isSettled(state);
      });
    });
    return group === -1 ? undefined : group;
  }

  /** Lets the loops of a group go back; says which nodes have their turn again, in order. */
  #goBack(group: number): number[] {
    const { nodes, loops, groups } = this.#checked;
    const going: CheckedLoop[] = loops.filter((edge) => {
      const isHeld = edge.group === group && this.#nodes[edge.from]?.isHeld === true;
      return isHeld && conditionHolds(edge.when, this.#seenAfter(edge.from));
    });
    const seen = new Set(groups[group]?.map((index) => nodes[index]?.id ?? ''));
    for (const { from } of going) for (const id of nodes[from]?.upstream ?? []) seen.add(id);
    const outputs = [...seen].flatMap((id) => {
      const output = this.#outputOf(id);
      return output === undefined ? [] : [[id, output] as const];
    });
    for (const [id, output] of outputs) this.#before[group]?.set(id, output);
    const again = [...new Set(going.flatMap(({ region }) => region))].sort((a, b) => a - b);
    for (const index of again) resetForRound(this.#nodes[index]);
    for (const { index, to } of going) {
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      const target = this.#nodes[to];
      if (target !== undefined) target.isTriggered = true;
    }
    return again;
  }

  /** What a node sees: nodes before it as they are now, those that come after as they were. */
  #seenBy({ upstream, group }: CheckedNode): Lookup {
    return (root) => {
      if (root === 'input') return this.#input;
      if (upstream.has(root)) return this.#outputOf(root);
      return group === undefined ? undefined : this.#before[group]?.get(root);
    };
  }

  /** What the edges of a node see: as the node does, and what it handed on. */
  #seenAfter(index: number): Lookup {
    const node = this.#checked.nodes[index];
    if (node === undefined) return () => undefined;
    const seen = this.#seenBy(node);
    return (root) => (root === node.id ? this.#nodes[index]?.output : seen(root));
  }

  #outputOf(id: string): JsonValue | undefined {
    const index = this.#checked.indexOf.get(id);
    return index === undefined ? undefined : this.#nodes[index]?.output;
  }
}
