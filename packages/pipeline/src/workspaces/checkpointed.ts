import { ForgeError, messageOf, type Tool, ToolOutput, text } from '@forge/core';
import { lookingTools, workspaceTools } from './looking-tools.ts';
import type { RunWorkspace } from './run-workspace.ts';

/**
 * The same tools, with the tree of the run kept after each that may have changed it and before its
 * result is given back: what the log says has happened is there whoever takes the run up. Also when
 * the tool fails, for it may have changed something before that.
 *
 * Only what the run aborts is not kept: its result is not awaited. That, and what background jobs do,
 * is kept with the next call, also of a tool that only looks.
 */
export function checkpointed(
  tools: readonly Tool[],
  workspaceOf: (runId: string) => RunWorkspace,
): readonly Tool[] {
  return tools.map((tool) => {
    const { run } = tool;
    const { name } = tool.spec;
    if (run === undefined) return tool;
    return {
      ...tool,
      run: async (args, context) => {
        const { signal } = context;
        const workspace = workspaceOf(context.runId);
        const looks = lookingTools.has(name);
        if (!looks) workspace.changing += 1;
        const result = await settled(async () => run(args, context));
        if (!looks) workspace.changing -= 1;
        if (args.background === true) workspace.hasJobs = true;
        if (signal.aborted) workspace.isUnsure ||= !looks;
        else if (!looks || mayHaveChanged(workspace))
          await keepAfter(name, result, { workspace, signal });
        if ('error' in result) throw result.error;
        const note = workspaceTools.has(name) ? workspace.takeNote() : undefined;
        return note === undefined ? result.value : withNote(note, result.value);
      },
    };
  });
}

function mayHaveChanged({ changing, hasJobs, isUnsure }: RunWorkspace): boolean {
  return changing > 0 || hasJobs || isUnsure;
}

type Settled = { readonly value: unknown } | { readonly error: unknown };

async function settled(work: () => Promise<unknown>): Promise<Settled> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

/** What could not be kept has not happened, as far as the log goes: the call has failed. */
async function keepAfter(
  name: string,
  result: Settled,
  { workspace, signal }: { readonly workspace: RunWorkspace; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await workspace.keep(`Checkpoint after ${name}`, signal);
    workspace.isUnsure = false;
  } catch (error) {
    workspace.isUnsure = true;
    const said =
      'error' in result
        ? `${messageOf(result.error)}\nWhat it changed could not be kept either`
        : 'It was done, but what it changed could not be kept';
    throw new ForgeError(
      ForgeError.is(error) ? error.code : 'tool_failed',
      `${said}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function withNote(note: string, value: unknown): unknown {
  if (value instanceof ToolOutput) return new ToolOutput([text(note), ...value.content]);
  if (typeof value === 'string') return `${note}\n${value}`;
  return new ToolOutput([text(note), text(JSON.stringify(value) ?? '')]);
}
