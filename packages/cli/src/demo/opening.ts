import { profiles } from '@forge/models';
import type { Config } from '../config.ts';
import type { SandboxChoice } from './choose-sandbox.ts';
import type { DemoProject } from './make-project.ts';
import { type StoryLine, short } from './narrate.ts';

/** Who speaks. Undefined: the scripted model. */
export function modelLine(model: string | undefined, config: Pick<Config, 'variable'>): StoryLine {
  return model === undefined
    ? scriptedLine(config)
    : { style: 'bold', label: 'model', text: model };
}

/** Where the project is, and what it is. */
export function projectLine({ folder, files, commit }: DemoProject): StoryLine {
  const text = `${folder}, a link shortener: ${files} files, commit ${short(commit)}`;
  return { style: 'bold', label: 'project', text };
}

function scriptedLine({ variable }: Pick<Config, 'variable'>): StoryLine {
  const [provider = 'ollama', profile] =
    Object.entries(profiles).find(
      ([, each]) => 'keyVariable' in each && variable(each.keyVariable) !== undefined,
    ) ?? [];
  const found =
    profile !== undefined && 'keyVariable' in profile ? `${profile.keyVariable} is set. ` : '';
  return {
    style: ['bold', 'yellow'],
    label: 'scripted model',
    text: `No model was named, so a scripted one speaks. All else is real: git, tests, deployments, requests. ${found}With a model: forge demo --model ${provider}:NAME`,
  };
}

/** What holds the commands. That nothing does is said loudly, with why. */
export function sandboxLines({ backend, problems }: SandboxChoice): readonly StoryLine[] {
  if (backend !== 'process') return [{ style: 'bold', label: 'sandbox', text: backend }];
  return [
    {
      style: ['bold', 'red'],
      label: 'NO SANDBOX',
      text: 'Commands run as plain processes, with all your rights.',
    },
    ...problems.map((text): StoryLine => ({ style: 'red', label: '', text })),
  ];
}
