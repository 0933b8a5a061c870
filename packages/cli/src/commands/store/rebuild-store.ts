import type { CommandContext } from '../../context.ts';
import { printable } from '../../printable.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import { counted } from '../../runs/words.ts';
import { type Difference, differences, mostCompared, readFigures } from './figures.ts';

const shown = 20;

/** `forge store rebuild`, once its flags are read. */
export async function rebuildStore(
  context: CommandContext,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { signal } = context;
  const terminal = context.terminal();
  await withWorkshop(context, {}, async ({ store }) => {
    const before = await readFigures(store, signal);
    let events = 0;
    await store.rebuild((count) => {
      events = count;
    });
    const after = await readFigures(store, signal);
    const changed = differences(before, after);
    const wentOn = before.cursor !== after.cursor;
    if (json) {
      const compared = { runs: after.runs.size, days: after.days.size };
      terminal.out(
        JSON.stringify({ equal: changed.length === 0, events, compared, wentOn, changed }),
      );
      return;
    }
    const read = `${counted(events, 'event')} read`;
    if (changed.length === 0) {
      terminal.out(`${terminal.style('green', 'Equal')}: every figure was right. ${read}.`);
    } else {
      terminal.out(
        `${terminal.style('yellow', 'Mended')}: ${counted(changed.length, 'row')}. ${read}.`,
      );
      for (const difference of changed.slice(0, shown)) terminal.out(`  ${describe(difference)}`);
      if (changed.length > shown) terminal.out(`  … and ${changed.length - shown} more (--json)`);
      if (wentOn) terminal.err('Runs went on meanwhile: some of that may be their work.');
    }
    if (after.runs.size >= mostCompared) {
      terminal.err(`All were rebuilt; the newest ${after.runs.size} runs were compared.`);
    }
  });
}

function describe({ what, name, figures }: Difference): string {
  const list = Object.entries(figures).map(
    ([figure, [then, now]]) => `${figure} ${text(then)} → ${text(now)}`,
  );
  return `${what} ${printable(name)}: ${list.join(', ')}`;
}

function text(value: unknown): string {
  return value === null ? 'nothing' : printable(String(value), 80);
}
