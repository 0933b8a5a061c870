import {
  type Agent,
  defineAgent,
  defineTool,
  ForgeError,
  type JsonSchema,
  type Limits,
  nearestNames,
  type Tool,
} from '@forge/core';
import { patience, usualReplyTokens } from '../agent-defaults.ts';
import type { AgentSettings } from '../agent-settings.ts';
import { loadPrompt } from '../prompt/load-prompt.ts';
import type { ProjectFiles } from '../prompt/project-files.ts';
import { type PromptSections, renderPrompt } from '../prompt/render-prompt.ts';

export interface CustomAgentOptions {
  readonly name: string;
  readonly settings: AgentSettings;
  /** The tools it may choose from. */
  readonly pool: readonly Tool[];
  readonly project?: ProjectFiles | undefined;
  readonly plugin?: string | undefined;
  readonly sections?: Omit<PromptSections, 'tools'>;
  readonly limits?: Partial<Limits>;
}

/**
 * An agent of the configuration. With an output schema it ends by `submit`, whose arguments are the
 * output; with the tool `finish`, by a commit; else by its answer.
 */
export async function defineCustomAgent(options: CustomAgentOptions): Promise<Agent> {
  const { name, settings, project, plugin, sections = {}, limits = {} } = options;
  const { output, max_iterations: turns, task_type: taskType } = settings;
  const chosen = chooseTools(name, settings.tools ?? [], options.pool);
  const finishes = chosen.some(({ spec }) => spec.name === 'finish');
  if (finishes && output !== undefined) {
    throw new ForgeError(
      'invalid_agent',
      `Agent "${name}" has both the tool finish and an output schema. finish hands on a commit: leave one of them out.`,
    );
  }
  const tools = output === undefined ? chosen : [...chosen, submitTool(name, output)];
  const terminal = output !== undefined ? ['submit'] : finishes ? ['finish'] : [];
  const prompt = await loadPrompt({ name, project, file: settings.prompt, plugin });
  return defineAgent({
    name,
    instructions: renderPrompt(prompt, { ...sections, tools }),
    tools,
    terminalTools: terminal,
    limits: { ...patience, ...limits, ...(turns !== undefined && { turns }) },
    context: { reserveForReply: settings.max_tokens ?? usualReplyTokens },
    taskType: taskType ?? name,
    version: prompt.version,
  });
}

function chooseTools(
  agent: string,
  names: readonly string[],
  pool: readonly Tool[],
): readonly Tool[] {
  const byName = new Map(pool.map((tool) => [tool.spec.name, tool]));
  return [...new Set(names)].map((name) => {
    const tool = byName.get(name);
    if (tool !== undefined) return tool;
    const known = [...byName.keys()];
    const near = nearestNames(name, known);
    const hint =
      near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Tools: ${known.join(', ')}.`;
    throw new ForgeError(
      'invalid_agent',
      `Agent "${agent}" names the tool "${name}", which is not there. ${hint}`,
    );
  });
}

/** Takes exactly what the agent is to hand on, so that anything else is refused and said why. */
function submitTool(agent: string, output: NonNullable<AgentSettings['output']>): Tool {
  if (output.type !== 'object') {
    throw new ForgeError(
      'invalid_agent',
      `The output of agent "${agent}" has to be an object: write "type: object" with its properties.`,
    );
  }
  return defineTool({
    name: 'submit',
    description: 'Hands in your result and ends your work.',
    input: { ...output } as JsonSchema,
    idempotent: true,
    run: (result) => JSON.stringify(result),
  });
}
