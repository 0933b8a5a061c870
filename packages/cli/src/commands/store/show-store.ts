import { stat } from 'node:fs/promises';
import { createRedactor } from '@forge/core';
import { schemaVersion } from '@forge/store';
import type { CommandContext } from '../../context.ts';
import { printable } from '../../printable.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import { counted } from '../../runs/words.ts';
import { storeFile } from '../../workshop/store-file.ts';

const most = 500;
const mebibyte = 1024 ** 2;

/** `forge store info`, once its flags are read. */
export async function showStore(
  context: CommandContext,
  { json }: { readonly json: boolean },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store, storeAddress }) => {
    const file = storeFile(storeAddress);
    const states = await store.countRuns();
    const tops = await store.countRuns({ topOnly: true });
    const waiting = (await store.approvals({ state: 'pending' }, { limit: most })).items.length;
    const about = {
      place: file ?? createRedactor().redact(storeAddress),
      make: file === undefined ? 'PostgreSQL' : 'SQLite',
      // Opening it has brought it to this version.
      schema: schemaVersion,
      bytes: file === undefined ? null : await sizeOf(file),
      runs: { total: sum(states), top: sum(tops), ...states },
      decisions_waiting: waiting,
      schedules: (await store.schedules()).filter(({ state }) => state !== 'ended').length,
      rules: (await store.rules()).length,
    };
    const terminal = context.terminal();
    if (json) {
      terminal.out(JSON.stringify(about));
      return;
    }
    const kinds = Object.entries(states).filter(([, count]) => count > 0);
    const lines: readonly (readonly [string, string])[] = [
      ['place', printable(about.place, 1_000)],
      ['make', `${about.make}, schema ${about.schema}`],
      ...(about.bytes === null
        ? []
        : [['size', `${(about.bytes / mebibyte).toFixed(1)} MiB`] as const]),
      ['runs', `${counted(about.runs.top, 'run')}, ${about.runs.total} with those they started`],
      ...kinds.map(([state, count]) => ['', `${count} ${state}`] as const),
      ['waiting', counted(waiting, 'decision') + (waiting < most ? '' : ' or more')],
      ['schedules', String(about.schedules)],
      ['rules', String(about.rules)],
    ];
    for (const [name, value] of lines) {
      terminal.out(`${terminal.style('dim', name.padEnd(9))}  ${value}`);
    }
  });
}

/** With what is not yet in the main file. */
async function sizeOf(file: string): Promise<number> {
  const sizes = ['', '-wal'].map(async (end) => {
    const about = await stat(file + end).catch(() => undefined);
    return about?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
