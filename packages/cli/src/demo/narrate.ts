import { type RunEvent, textOf } from '@forge/core';
import {
  codeSchema,
  deploymentSchema,
  mergeSchema,
  planSchema,
  reviewSchema,
  rollbackSchema,
  verificationSchema,
} from '@forge/pipeline';
import * as z from 'zod';
import { counted } from '../runs/words.ts';
import type { Style } from '../terminal.ts';

/** A line of the story, made of what a node of the pipeline handed on. */
export interface StoryLine {
  readonly style: Style;
  readonly label: string;
  readonly text: string;
}

/** Commits by the id of their deployment. */
type Deployed = Map<string, string>;

/**
 * What there is to tell of the events of the pipeline's own run, one after the other. Most say
 * nothing by themselves. `deployed`: what was deployed before.
 */
export function narrator(
  deployed: ReadonlyMap<string, string> = new Map(),
): (event: RunEvent) => readonly StoryLine[] {
  const known: Deployed = new Map(deployed);
  return (event) => {
    if (event.type !== 'tool.finished' || event.outcome === 'cancelled') return [];
    if (event.outcome !== 'ok') return [{ style: 'red', label: event.name, text: textOf(event) }];
    return tellers[event.name]?.(textOf(event), known) ?? [];
  };
}

type Teller = (text: string, deployed: Deployed) => readonly StoryLine[] | undefined;

function teller<S extends z.ZodType>(
  schema: S,
  tell: (value: z.infer<S>, deployed: Deployed) => readonly StoryLine[],
): Teller {
  return (text, deployed) => {
    const value = schema.safeParse(parse(text));
    return value.success ? tell(value.data, deployed) : undefined;
  };
}

const coded = teller(codeSchema, ({ commit, summary, files, checks }) => [
  {
    style: 'green',
    label: 'coded',
    text: `${short(commit)} ${summary} (${counted(files.length, 'file')}, ${passed(checks)})`,
  },
]);

const publishedSchema = z.object({ branch: z.string(), commit: z.string() });

/** By the name of the node. */
const tellers: Readonly<Record<string, Teller>> = {
  plan: teller(planSchema, ({ tasks, acceptance }) => [
    {
      style: 'green',
      label: 'planned',
      text: `${counted(tasks.length, 'task')}: ${tasks.map(({ title }) => title).join('; ')}. ${counted(acceptance.length, 'acceptance check')}`,
    },
  ]),
  code: coded,
  fix: coded,
  merge: teller(mergeSchema, ({ status, commit, conflict }) =>
    status === 'merged'
      ? [{ style: 'green', label: 'merged', text: `${short(commit)}` }]
      : [{ style: 'yellow', label: 'conflict', text: conflict?.problem ?? '' }],
  ),
  review: teller(reviewSchema, ({ verdict, summary, findings }) =>
    verdict === 'pass'
      ? [{ style: 'green', label: 'review passed', text: summary }]
      : [
          { style: 'yellow', label: 'sent back', text: summary },
          ...findings.map(
            ({ severity, file, line, message }): StoryLine => ({
              style: 'yellow',
              label: `  ${severity}`,
              text: `${file}${line === undefined ? '' : `:${line}`} ${message}`,
            }),
          ),
        ],
  ),
  deploy: teller(deploymentSchema, ({ deploymentId, commit, url = 'no address' }, deployed) => {
    deployed.set(deploymentId, commit);
    return [{ style: 'green', label: 'deployed', text: `${short(commit)} at ${url}` }];
  }),
  verify: teller(verificationSchema, ({ verdict, tests, problems }) =>
    verdict === 'pass'
      ? [
          {
            style: 'green',
            label: 'verified',
            text: `${counted(tests.length, 'request')} to the deployed service`,
          },
          ...tests.map(
            ({ request, got }): StoryLine => ({
              style: 'green',
              label: '',
              text: `${request.method} ${got}`,
            }),
          ),
        ]
      : problems.map((text): StoryLine => ({ style: 'red', label: 'not verified', text })),
  ),
  rollback: teller(rollbackSchema, ({ status, from, to }, deployed) => {
    const name = (id: string) => short(deployed.get(id) ?? id);
    return [
      {
        style: 'yellow',
        label: status === 'rolled_back' ? 'rolled back' : 'withdrawn',
        text: to === undefined ? name(from) : `${name(from)} gave the traffic back to ${name(to)}`,
      },
    ];
  }),
  publish: teller(publishedSchema, ({ branch, commit }) => [
    { style: 'green', label: 'published', text: `${short(commit)} as branch ${branch}` },
  ]),
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function short(commit: string): string {
  return commit.slice(0, 8);
}

function passed(checks: readonly { readonly passed: boolean }[]): string {
  const good = checks.filter((check) => check.passed).length;
  return `${good} of ${counted(checks.length, 'check')} passed`;
}
