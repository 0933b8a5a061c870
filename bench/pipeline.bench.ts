import assert from 'node:assert/strict';
import { DemoPlace } from '../packages/cli/test/demo-place.ts';
import { eventOf } from '../packages/cli/test/forge-process.ts';
import type { LiveBench, TableResult } from './harness/table.ts';
import { type Gap, type Kind, type TimeOfRun, timeOfRun } from './pipeline/time-of-run.ts';

const atMost = 0.05;

const kinds: Readonly<Record<Kind, string>> = {
  sandbox: 'tools in the sandbox, with keeping what they change',
  target: 'the target: deploying, requests, rolling back',
  git: 'merging and publishing commits',
  model: 'the scripted model',
  engine: 'the engine: all the rest',
};
const gaps: Readonly<Record<Gap, string>> = {
  'child begins': 'until a child run begins',
  'parent hears': 'until a parent hears of its end',
  'next step': 'other steps between two events',
};

/** What the engine itself costs of the demo's request, by the events of its runs. */
export const bench: LiveBench = {
  name: 'pipeline',
  async *run({ quick }) {
    const times: TimeOfRun[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++) times.push(await runDemo());
    const share = ({ spent, total }: TimeOfRun) => spent.engine / total;
    const sorted = times.toSorted((a, b) => share(a) - share(b));
    const middle = sorted[Math.floor(sorted.length / 2)];
    assert.ok(middle);
    yield sharesTable(middle, sorted.map(share));
    yield gapsTable(middle);
  },
};

function sharesTable({ total, spent }: TimeOfRun, shares: readonly number[]): TableResult {
  const met = spent.engine / total <= atMost;
  const all = shares.map((share) => inPercent(share)).join(', ');
  return {
    kind: 'table',
    title: 'Where the time of a request goes: plan, code, review, deploy, verify',
    head: ['what', 'ms', 'share'],
    rows: [
      ...Object.entries(kinds).map(([kind, name]) => {
        const ms = spent[kind as Kind];
        return [name, String(ms), inPercent(ms / total)];
      }),
      ['all', String(total), '100 %'],
    ],
    notes: [
      `The engine at most ${inPercent(atMost)}: ${met ? 'held' : 'NOT HELD'}. All runs: ${all}.`,
      'By the events of the runs. An event is dated when its step is written: what lies between the end of a tool and that, and the commit before a tool begins, counts as the tool.',
      'What goes on at once is counted once, as the first of the list it is.',
    ],
    data: { total, spent, shares },
  };
}

function gapsTable({ spent, gaps: found }: TimeOfRun): TableResult {
  return {
    kind: 'table',
    title: 'What the engine does in that time',
    head: ['what', 'times', 'ms', 'each'],
    rows: Object.entries(gaps).map(([gap, name]) => {
      const { count, ms } = found[gap as Gap];
      return [name, String(count), String(ms), `${(ms / Math.max(1, count)).toFixed(1)} ms`];
    }),
    notes: [`Together ${spent.engine} ms.`],
    data: found,
  };
}

/** The demo as a process of its own, with nothing that waits for people. */
async function runDemo(): Promise<TimeOfRun> {
  const place = new DemoPlace();
  try {
    const args = ['demo', '--json', '--delay', '0', '--folder', place.folder];
    const { code, lines, errors } = await place.forge(...args);
    assert.equal(code, 0, errors);
    const { demo } = JSON.parse(lines.at(-1) ?? '');
    const told = lines.flatMap((line) => eventOf(line) ?? []);
    return timeOfRun(
      told.filter(({ rootId }) => rootId === demo.runId),
      demo.runId,
    );
  } finally {
    await place.remove();
  }
}

function inPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
