import type { SandboxBackend, SandboxInfo } from '@forge/sandbox';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.ts';
import { printable } from '../../printable.ts';
import { makers } from './makers.ts';

/** `forge sandbox list` and `forge sandbox reap`: what is there, and what should not be. */
export function addLists(sandbox: Command, context: CommandContext): void {
  addList(sandbox, context);
  addReap(sandbox, context);
}

function addList(sandbox: Command, { terminal: getTerminal, signal }: CommandContext) {
  sandbox
    .command('list')
    .description('the sandboxes of this machine that are alive')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge sandbox list')
    .action(async ({ json = false }: { json?: boolean }) => {
      const terminal = getTerminal();
      const all: (SandboxInfo & { readonly backend: string })[] = [];
      await withEach(signal, async (backend) => {
        for (const info of await backend.list()) all.push({ backend: backend.name, ...info });
      });
      if (json) {
        terminal.out(JSON.stringify(all));
        return;
      }
      if (all.length === 0) terminal.out('No sandbox is running.');
      for (const { backend, id, state, startedAt, labels } of all) {
        const marks = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
        const since = new Date(startedAt).toISOString();
        // Labels are of whoever made the container.
        terminal.out(
          [id, backend, state, since, ...marks].map((word) => printable(word)).join('  '),
        );
      }
    });
}

function addReap(sandbox: Command, { terminal: getTerminal, signal }: CommandContext) {
  sandbox
    .command('reap')
    .description('remove what dead processes left: containers, processes, folders')
    .option('--json', 'print what was removed as JSON')
    .addHelpText('after', '\nExample:\n  forge sandbox reap')
    .action(async ({ json = false }: { json?: boolean }) => {
      const terminal = getTerminal();
      const removed: string[] = [];
      await withEach(signal, async (backend) => void removed.push(...(await backend.reap())));
      if (json) terminal.out(JSON.stringify(removed));
      else if (removed.length === 0) terminal.out('There was nothing to remove.');
      else for (const line of removed) terminal.out(`removed ${line}`);
    });
}

/** Those that work here, one after the other. */
async function withEach(
  signal: AbortSignal,
  work: (backend: SandboxBackend) => Promise<void>,
): Promise<void> {
  for (const make of Object.values(await makers())) {
    const backend = make();
    try {
      if ((await backend.probe(signal)).available) await work(backend);
    } finally {
      await backend.close();
    }
  }
}
