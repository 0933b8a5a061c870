import { formatPath } from '../schema/format-path.ts';
import type { Problem, Tone } from './problem.ts';

/** The word in brackets in front of a nudge. Stable: logs are searched for it, and policies count it. */
export const nudgeTags: Readonly<Record<Problem['kind'], string>> = {
  empty_reply: 'EmptyReply',
  cut_off: 'CutOff',
  too_many_calls: 'TooManyCalls',
  no_call: 'NoToolCall',
  not_chosen: 'NotChosen',
  unknown_tool: 'UnknownTool',
  unusable_call: 'UnusableCall',
  bad_arguments: 'ToolArgValidationError',
  steps_missing: 'StepEnforcementError',
  prerequisite_missing: 'PrerequisiteError',
  loop: 'Loop',
};

/**
 * What the model is told about a problem: the tool, the fault, what is valid, and one right
 * example.
 */
export function nudgeText(problem: Problem, tone: Tone): string {
  return `[${nudgeTags[problem.kind]}] ${wordsFor(problem, tone)}`;
}

function wordsFor(problem: Problem, tone: Tone): string {
  switch (problem.kind) {
    case 'empty_reply':
      return byTone(tone, {
        1: 'Your last reply was empty. Answer, or call one of the tools.',
        2: 'Your reply was empty again. Write an answer or make a tool call now.',
        3: 'STOP sending empty replies. Your next reply MUST hold an answer or a tool call.',
      });
    case 'cut_off':
      return problem.tool === undefined
        ? 'Your last reply was cut off by the length limit. Say it again, much shorter.'
        : `Your call to ${problem.tool} was cut off by the length limit and was not run. ` +
            'Make it again with less text before it and shorter arguments, or split the work into several calls.';
    case 'too_many_calls':
      return `${problem.count} calls in one reply are too many, and none was run. Make at most ${problem.most}, the most useful first.`;
    case 'no_call': {
      const wanted = list(problem.wanted);
      return byTone(tone, {
        1: `That was text, but this step needs a tool call. Please call ${wanted}.`,
        2: `Text is not accepted here. Reply with a call to ${wanted}.`,
        3: `STOP writing text. Your next reply MUST be a tool call: ${wanted}.`,
      });
    }
    case 'not_chosen':
      return problem.only === undefined
        ? `${problem.tool} was not run: no tool may be called now. Answer in plain text.`
        : `${problem.tool} was not run: only ${problem.only} may be called now.`;
    case 'unknown_tool': {
      const hint = problem.nearest.length > 0 ? ` Did you mean ${list(problem.nearest)}?` : '';
      return `There is no tool "${problem.tool}".${hint} The tools are: ${problem.known.join(', ')}.`;
    }
    case 'unusable_call':
      return (
        `Your call to ${problem.tool} was not run: ${problem.reason}. ` +
        `Write every argument as a plain value, for example: ${call(problem.tool, problem.example)}`
      );
    case 'bad_arguments': {
      const faults = problem.issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`);
      return (
        `${problem.tool} was not run, its arguments do not fit. ${faults.join('; ')}. ` +
        `A right call: ${call(problem.tool, problem.example)}`
      );
    }
    case 'steps_missing': {
      const what = problem.tool === undefined ? 'finish' : `call ${problem.tool}`;
      const missing = list(problem.missing, 'and');
      return byTone(tone, {
        1: `You cannot ${what} yet. Please call ${missing} first.`,
        2: `You must call ${missing} before you ${what}. Do that now.`,
        3: `STOP. You MUST call ${missing} next. Do not ${what} until that has succeeded.`,
      });
    }
    case 'prerequisite_missing': {
      const { match } = problem;
      const same =
        match === undefined ? '' : ` with ${match.argument} = ${JSON.stringify(match.value)}`;
      return byTone(tone, {
        1: `${problem.tool} needs ${problem.needs}${same} first. Please call ${problem.needs}, then ${problem.tool}.`,
        2: `${problem.tool} was not run. Call ${problem.needs}${same} now, then ${problem.tool}.`,
        3: `STOP. You MUST call ${problem.needs}${same} before ${problem.tool}.`,
      });
    }
    case 'loop': {
      const what = list(problem.tools, 'and');
      return byTone(tone, {
        1: `You have called ${what} with the same arguments again and again and got the same result. It was not run again. Use what you have, or try something else.`,
        2: `Calling ${what} the same way once more changes nothing. Change the arguments, call another tool, or finish.`,
        3: `STOP repeating ${what}. Your next reply MUST do something different.`,
      });
    }
    default:
      return unreachable(problem);
  }
}

function byTone(tone: Tone, texts: Record<Tone, string>): string {
  return texts[tone];
}

function list(names: readonly string[], word: 'or' | 'and' = 'or'): string {
  if (names.length <= 1) return names[0] ?? 'a tool';
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

function call(tool: string, args: unknown): string {
  return `${tool}(${JSON.stringify(args)})`;
}

function unreachable(value: never): never {
  throw new Error(`unhandled problem ${JSON.stringify(value)}`);
}
