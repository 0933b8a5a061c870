import { isJsonObject, type JsonObject, type Tool } from '@forge/core';
import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

const examples = `
Rules are in forge.yaml under tools: a deny wins over an ask, an ask over an allow.

  tools:
    disabled: [http_fetch]
    rules:
      - allow: shell(git status*)
      - ask: shell(git push*)
      - deny: write(.github/**)
    budgets: { shell: 50 }
    commands: [git, npm, node]

Examples:
  forge tools list
  forge tools check shell 'git push origin main'
  forge tools check write '{"path": ".github/workflows/ci.yml", "content": ""}'`;

/** `forge tools`: what agents of this project may do. */
export function addTools(program: Command, context: CommandContext): void {
  const tools = program
    .command('tools')
    .description('see the tools of this project, and what its rules say of a call')
    .addHelpText('after', examples);
  addList(tools, context);
  addCheck(tools, context);
}

async function toolsHere({ cwd, config }: CommandContext): Promise<readonly Tool[]> {
  const { projectTools } = await import('../project/project-tools.ts');
  return projectTools({ cwd, config });
}

function addList(tools: Command, context: CommandContext) {
  tools
    .command('list')
    .description('the tools an agent of this project has')
    .option('--json', 'print them as JSON, with their schemas')
    .addHelpText('after', '\nExample:\n  forge tools list --json')
    .action(async ({ json = false }: { json?: boolean }) => {
      const found = await toolsHere(context);
      const terminal = context.terminal();
      if (json) {
        terminal.out(JSON.stringify(found.map(({ spec, budget }) => ({ ...spec, budget }))));
        return;
      }
      const width = Math.max(...found.map(({ spec }) => spec.name.length));
      for (const { spec, budget } of found) {
        const [about = ''] = spec.description.split(/(?<=\.)\s|\n/);
        const calls = budget === undefined ? '' : ` (${budget.calls} calls in a run)`;
        terminal.out(`${terminal.style('bold', spec.name.padEnd(width))}  ${about}${calls}`);
      }
    });
}

function addCheck(tools: Command, context: CommandContext) {
  tools
    .command('check')
    .description('what would become of a call: it runs, somebody is asked, or it is denied')
    .argument('<tool>')
    .argument('<arguments>', 'as JSON, or the text of its main argument, such as a command')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', "\nExample:\n  forge tools check shell 'rm -rf /'")
    .action(async (name: string, text: string, { json = false }: { json?: boolean }) => {
      const found = await toolsHere(context);
      const tool = found.find(({ spec }) => spec.name === name);
      const verdict = tool === undefined ? await absent(name, found) : await judge(tool, text);
      if (verdict.outcome === 'denied') context.endWith(exitCodes.failed);
      const terminal = context.terminal();
      const colour = { runs: 'green', asks: 'yellow', denied: 'red' } as const;
      terminal.out(
        json
          ? JSON.stringify(verdict)
          : `${terminal.style(colour[verdict.outcome], verdict.outcome)}  ${verdict.why}`,
      );
    });
}

interface Verdict {
  readonly outcome: 'runs' | 'asks' | 'denied';
  readonly why: string;
}

async function absent(name: string, found: readonly Tool[]): Promise<Verdict> {
  const { nearestNames } = await import('@forge/core');
  const near = nearestNames(
    name,
    found.map(({ spec }) => spec.name),
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  return { outcome: 'denied', why: `There is no tool ${name} here, or it is disabled.${hint}` };
}

async function judge(tool: Tool, text: string): Promise<Verdict> {
  const args = await readArguments(tool, text);
  const issues = tool.schema.accepts(args) ? tool.refine(args) : undefined;
  if (issues === undefined || issues.length > 0) {
    const why =
      issues?.[0]?.message ?? 'they do not fit its schema; see "forge tools list --json".';
    return { outcome: 'denied', why: `The arguments are wrong: ${why}` };
  }
  const denied = tool.denies?.(args);
  if (denied !== undefined) return { outcome: 'denied', why: denied };
  return tool.needsApproval(args)
    ? { outcome: 'asks', why: 'Somebody has to say yes first.' }
    : { outcome: 'runs', why: 'Nobody is asked.' };
}

async function readArguments(tool: Tool, text: string): Promise<JsonObject> {
  if (text.trimStart().startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) return value;
    } catch (error) {
      throw new UsageError(
        `The arguments are no JSON: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  const { mainArgument } = await import('@forge/tools/policy');
  const main = mainArgument(tool.spec.inputSchema);
  if (main === undefined)
    throw new UsageError(`${tool.spec.name} has no main argument: give JSON.`);
  return { [main]: text };
}
