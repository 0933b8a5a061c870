import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isJsonObject, messageOf } from '@forge/core';
import type { CommandContext } from '../../context.ts';
import { projectTools } from '../../project/project-tools.ts';
import type { ReadSettings } from '../../settings/read-settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { lookAtStore } from './look-at-store.ts';

/** Agents that come with Forge. Every other name under `agents` is the project's own. */
const ownAgents: ReadonlySet<string> = new Set([
  'planner',
  'coder',
  'merger',
  'reviewer',
  'deployer',
  'verifier',
  'rollback',
  'publisher',
  'agent',
]);

const mostTurns = 20;
const mostTools = 20;

/**
 * The project against the factors, by what can be seen in it. Where Forge itself sees to a factor,
 * whatever a project does, the line says so.
 */
export async function twelveFactors(
  { settings, root }: ReadSettings,
  { cwd, config }: CommandContext,
): Promise<readonly Finding[]> {
  const custom = Object.entries(settings.agents).filter(([name]) => !ownAgents.has(name));
  const store = await lookAtStore(settings.store ?? config.store);
  const at = (path: string) => existsSync(resolve(root, path));

  const shapeless = custom.filter(
    ([, agent]) => agent.output === undefined && (agent.tools ?? []).length === 0,
  );
  const promptless = custom.filter(
    ([name, { prompt }]) => !at(prompt ?? `.forge/prompts/${name}.md`),
  );
  const lost = Object.entries(settings.agents).filter(([, { prompt }]) => prompt && !at(prompt));
  const wide = Object.entries(settings.agents).filter(
    ([, { tools = [], max_iterations = 0 }]) =>
      tools.length > mostTools || max_iterations > mostTurns,
  );
  const asks =
    (settings.tools?.rules ?? []).some((rule) => 'ask' in rule) ||
    Object.values(settings.mcp ?? {}).some(({ enabled, trust }) => enabled && trust === 'ask');
  const { pipeline } = settings;
  const isLost = typeof pipeline === 'string' && !at(pipeline);
  const state = (name: string, what: string): Finding =>
    store.status === 'fail'
      ? fail(name, store.message, store.fix)
      : ok(name, `${what}: ${store.message}`);

  return [
    judge('F1 tool calls', shapeless.length === 0, {
      pass: 'every agent ends in a call or an output with a schema',
      fail: `${names(shapeless)}: neither tools nor an output schema`,
      fix: 'Give each of them tools, or output: a JSON Schema.',
    }),
    judge('F2 own prompts', promptless.length + lost.length === 0, {
      pass: 'prompts are files; .forge/prompts/<agent>.md takes the place of one of Forge',
      fail: `${names([...promptless, ...lost])}: the prompt is not there`,
      fix: 'Write .forge/prompts/<agent>.md, or name a file in agents.<name>.prompt.',
    }),
    ok('F3 own context', 'by Forge: what is sent is one pure function of the log'),
    await schemaFinding({ cwd, config }),
    state('F5 one state', 'the log is the state'),
    state('F6 launch, pause, resume', 'runs are kept'),
    judge('F7 people', settings.deploy.approval || asks, {
      pass: settings.deploy.approval
        ? 'deployments ask a person'
        : 'rules or MCP servers ask a person',
      fail: 'nothing in this project ever asks a person',
      fix: 'Set deploy.approval: true, or a rule such as tools: { rules: [{ ask: "shell(git push*)" }] }.',
    }),
    judge('F8 own control flow', !isLost, {
      pass:
        pipeline === undefined
          ? 'the pipeline of Forge; pipeline: takes your own'
          : 'your own pipeline',
      fail: `${typeof pipeline === 'string' ? relative(root, pipeline) : ''} is not there`,
      fix: 'Write it, or leave pipeline out.',
    }),
    ok('F9 compact errors', 'by Forge: errors are short events, and too many in a row end a run'),
    judge('F10 small agents', wide.length === 0, {
      pass: `no agent has more than ${mostTools} tools or is set to more than ${mostTurns} turns`,
      fail: `${names(wide)}: more than ${mostTools} tools or ${mostTurns} turns`,
      fix: 'Split it: an agent can be a step of a pipeline, or a tool of another.',
    }),
    ok(
      'F11 from anywhere',
      'by Forge: the command line, schedules and MCP clients start the same runs',
    ),
    ok('F12 stateless reducer', 'by Forge: the kernel is two pure functions over events'),
    warn(
      'F13 pre-fetch',
      'Forge has no declared pre-fetching yet, whatever a project does',
      'Put what is always needed into the request or the prompt.',
    ),
  ];
}

function judge(
  name: string,
  passes: boolean,
  said: { readonly pass: string; readonly fail: string; readonly fix: string },
): Finding {
  return passes ? ok(name, said.pass) : fail(name, said.fail, said.fix);
}

function names(agents: readonly (readonly [string, unknown])[]): string {
  return [...new Set(agents.map(([name]) => name))].join(', ');
}

/** F4: a call is data that fits a schema. */
async function schemaFinding({
  cwd,
  config,
}: Pick<CommandContext, 'cwd' | 'config'>): Promise<Finding> {
  const name = 'F4 structured tools';
  try {
    const tools = await projectTools({ cwd, config });
    const without = tools.filter(({ spec }) => !isObjectSchema(spec.inputSchema));
    return judge(name, without.length === 0, {
      pass: `${tools.length} tools, each with a schema`,
      fail: `${without.map(({ spec }) => spec.name).join(', ')}: no schema`,
      fix: 'Give each of them a schema of its input.',
    });
  } catch (error) {
    return fail(name, messageOf(error), 'See: forge plugin list');
  }
}

const isObjectSchema = (schema: unknown) => isJsonObject(schema) && schema.type === 'object';
