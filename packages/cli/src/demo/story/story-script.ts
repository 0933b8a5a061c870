import type { JsonObject } from '@forge/core';
import type { ScriptInput } from '@forge/models';
import {
  chooseCode,
  countVisits,
  fixMissingFolder,
  fixTakenCodes,
  type StoryCall,
  takeoverProbe,
} from './story-edits.ts';
import { storyPlan } from './story-text.ts';

type Reply = ScriptInput['scenes'][number]['replies'][number];

const says = (text: string, ...calls: readonly StoryCall[]): Reply => ({
  text,
  ...(calls.length > 0 && { calls: calls.map(({ name, args }) => ({ name, args: { ...args } })) }),
});
const call = (name: string, args: JsonObject = {}): StoryCall => ({ name, args });
const read = (path: string) => call('read', { path });

/** What the reviewer's probe prints when a code was taken over. Not part of the command itself. */
const takenOver = 'taken over by https://b.example/';

/** The plan as JSON has it: without what is not set. */
function planArguments(): JsonObject {
  return JSON.parse(JSON.stringify(storyPlan)) as JsonObject;
}

/** A coder's work: looks, changes, lets the tests run, and says what it did. */
const coding = (work: {
  readonly look: readonly string[];
  readonly thought: string;
  readonly edits: readonly StoryCall[];
  readonly summary: string;
  readonly message: string;
}): Reply[] => [
  says('I look at what is there first.', ...work.look.map(read)),
  says(work.thought, ...work.edits),
  says('Now the tests.', call('run_checks')),
  says('They pass.', call('finish', { summary: work.summary, message: work.message })),
];

/** A review: the diff, then checks of the reviewer's own. What they show decides how it goes on. */
const looking = (node: string): Reply[] => [
  says('I read all that changed.', call('review_diff')),
  says(
    'I run the tests, and try what happens to a code that somebody has.',
    call('run_checks', { command: takeoverProbe(node) }),
  ),
];

/**
 * What the scripted model of the demo says, and all it says. It knows no commit, address or result:
 * whether work is sent back follows from what the tools found. `node` is how node is called where
 * the commands run.
 */
export const storyScript = (node = 'node'): ScriptInput => ({
  scenes: [
    {
      name: 'the planner',
      when: { tools: ['submit_plan'] },
      replies: [
        says('I look at the service before I plan.', read('src/service.js'), read('src/links.js')),
        says('Two parts that do not touch each other.', call('submit_plan', planArguments())),
      ],
    },
    {
      name: 'the coder of choose-code',
      when: { tools: ['finish'], fields: { 'task.id': 'choose-code' } },
      replies: coding({
        look: ['src/links.js', 'src/service.js'],
        thought: 'add() takes the code that was chosen.',
        edits: chooseCode,
        summary: 'POST /links takes a code of the sender’s choice.',
        message: 'Let people choose the code of their link',
      }),
    },
    {
      name: 'the coder of count-visits',
      when: { tools: ['finish'], fields: { 'task.id': 'count-visits' } },
      replies: coding({
        look: ['src/service.js', 'src/main.js'],
        thought: 'A counter with a file of its own, and a way to ask it.',
        edits: countVisits,
        summary: 'Redirects are counted, and GET /links/<code> tells how many there were.',
        message: 'Count how often each link is followed',
      }),
    },
    {
      name: 'the coder after the verification',
      when: { tools: ['finish'], fields: { problems: '/ENOENT|500/' } },
      replies: coding({
        look: ['src/visits.js', 'src/main.js', 'test/visits.test.js'],
        thought:
          'data/visits.json is written to a folder that is not there where the service is deployed. The tests made theirs.',
        edits: fixMissingFolder,
        summary: 'The folder of the counts is made if it is missing, with a test of that.',
        message: 'Make the folder of the visit counts',
      }),
    },
    {
      name: 'the coder after the review',
      when: { tools: ['finish'], fields: { findings: 'src/links.js' } },
      replies: coding({
        look: ['src/links.js', 'src/service.js', 'test/choose-code.test.js'],
        thought: 'A code keeps its owner, and codes the service needs itself are refused.',
        edits: fixTakenCodes,
        summary: 'Taken codes are refused with 409, codes that cannot be reached with 400.',
        message: 'Refuse codes that are taken or reserved',
      }),
    },
    {
      name: 'a review that finds the takeover',
      when: { tools: ['submit_review'], results: { run_checks: takenOver } },
      replies: [
        ...looking(node),
        says(
          'The second sender took over the link of the first.',
          call('submit_review', {
            verdict: 'fail',
            summary:
              'The tests pass, but a code that is taken is given away: whoever sends it next owns the link. The plan asks for 409.',
            findings: [
              {
                severity: 'high',
                file: 'src/links.js',
                line: 15,
                message:
                  'add() replaces the address of a code that somebody has. Refuse it, and answer 409.',
              },
              {
                severity: 'medium',
                file: 'src/service.js',
                line: 18,
                message:
                  'Any text is taken as a code, also "health" and "links", which could never be reached.',
              },
            ],
          }),
        ),
      ],
    },
    {
      name: 'a review that finds nothing',
      when: { tools: ['submit_review'] },
      replies: [
        ...looking(node),
        says(
          'A taken code stays with its owner, and the tests pass.',
          call('submit_review', {
            verdict: 'pass',
            summary: 'The changes do what the plan asks for, with tests for each part.',
            findings: [],
          }),
        ),
      ],
    },
    {
      name: 'the deployer',
      when: { tools: ['deploy'] },
      replies: [
        says('Is everything there that the target needs?', call('check_target')),
        says('It is.', call('deploy', { commit: '{{input.commit}}' })),
      ],
    },
    {
      name: 'the verifier',
      when: { tools: ['submit_verification'] },
      replies: [
        says('Is it up?', call('health_check')),
        ...storyPlan.acceptance.map(({ id, description }) =>
          says(description, call('smoke_test', { acceptance: id })),
        ),
        says(
          'That is all the plan asks for.',
          call('submit_verification', {
            summary: 'Every acceptance check of the plan was made against the deployed service.',
          }),
        ),
      ],
    },
  ],
});
