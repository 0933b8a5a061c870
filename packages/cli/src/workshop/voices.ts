import { resolve } from 'node:path';
import type { Agent, JsonObject, Model } from '@forge/core';
import { createModel, parseModelName } from '@forge/models';
import {
  agentDefaults,
  bareAgent,
  createRouter,
  type Router,
  usualReplyTokens,
} from '@forge/pipeline';
import type { RunRow } from '@forge/store';
import type { Config } from '../config.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { topAgents } from './workshop.ts';

/** The label of a run whose models were chosen on the command line. */
export const modelLabel = 'forge.model';

export interface Voices {
  readonly router: Router;
  /** The model of an agent in a run: the same whenever it is asked for the same run. */
  readonly modelOf: (agent: Agent, run: RunRow) => Model;
  /** Throws what is missing, before anything begins. */
  check(agents: readonly Agent[], pinned?: string): void;
}

/** The models of a project, by its router. Nothing is asked of a server here. */
export function createVoices({
  settings,
  variable,
  root,
  profileModel,
}: {
  readonly settings: Settings;
  readonly variable: Config['variable'];
  /** Paths in the names of models are relative to it. */
  readonly root: string;
  /** Of the coding agent, by the profile it is sent off with. */
  readonly profileModel?: string | undefined;
}): Voices {
  const router = createRouter({
    weights: settings.router.weights,
    defaultModel: settings.model,
    available: (name) => {
      const key = missingKey(name, variable);
      return key === undefined ? true : { missing: `set ${key}` };
    },
  });
  const made = new Map<string, Model>();
  const open = (name: string, agent: string): Model => {
    const known = made.get(`${agent} ${name}`);
    if (known !== undefined) return known;
    const own = settings.agents[agent] ?? {};
    const usual = agentDefaults[agent];
    const maxTokens = own.max_tokens ?? usual?.maxTokens ?? usualReplyTokens;
    const temperature = own.temperature ?? usual?.temperature;
    const model = createModel(fromRoot(name, root), {
      settings: {
        maxTokens,
        ...(temperature !== undefined && { temperature }),
      },
      readVariable: variable,
    });
    made.set(`${agent} ${name}`, model);
    return model;
  };
  const route = (agent: Agent, { id, pinned }: { id: string; pinned: string | undefined }) => {
    const bare = bareAgent(agent.name);
    const ofProfile = bare === topAgents.agent ? profileModel : undefined;
    const name = pinned ?? ofProfile ?? settings.agents[bare]?.model;
    return router.route({
      taskType: agent.taskType,
      seed: id,
      ...(name !== undefined && { pinned: name }),
    });
  };
  return {
    router,
    modelOf(agent, run) {
      const { model, reason, weights, draw, skipped } = route(agent, {
        id: run.id,
        pinned: run.labels[modelLabel],
      });
      const chosen: JsonObject = {
        reason,
        weights: { ...weights },
        ...(draw !== undefined && { draw }),
        ...(skipped.length > 0 && {
          skipped: skipped.map(({ model: name, why }) => ({ name, why })),
        }),
      };
      return Object.create(open(model, bareAgent(agent.name)), {
        chosen: { value: chosen, enumerable: true },
      }) as Model;
    },
    check(agents, pinned) {
      for (const agent of agents) {
        if (agent.program !== undefined) continue;
        open(route(agent, { id: 'check', pinned }).model, bareAgent(agent.name));
      }
    },
  };
}

function missingKey(name: string, variable: Config['variable']): string | undefined {
  if (isFile(name)) return undefined;
  const { keyVariable, needsKey = false } = parseModelName(name).profile;
  const isMissing = needsKey && keyVariable !== undefined && variable(keyVariable) === undefined;
  return isMissing ? keyVariable : undefined;
}

const isFile = (name: string) => name.startsWith('scripted:') || name.startsWith('local:');

function fromRoot(name: string, root: string): string {
  if (!isFile(name)) return name;
  const colon = name.indexOf(':') + 1;
  return `${name.slice(0, colon)}${resolve(root, name.slice(colon))}`;
}
