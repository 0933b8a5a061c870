import type { Attempt, Outcome, ProblemName, ProxyEvent } from '../proxy-event.ts';
import { countName } from '../stats/count-names.ts';
import type { Lesson, TemperatureBucket, Trial } from './lesson.ts';

/** Past these, a trial is halved: what is learned is how a model does of late. */
const longestTrial = 64;

/** Only where a reply was judged to its end. */
const judged: ReadonlySet<Outcome> = new Set([
  'clean',
  'rescued',
  'repaired',
  'retried',
  'exhausted',
]);

/** Faults of what a reply wanted, not of how it was written. */
const notOfForm: ReadonlySet<ProblemName> = new Set([
  'cut_off',
  'steps_missing',
  'prerequisite_missing',
  'loop',
]);

export const emptyLesson: Lesson = {
  requests: 0,
  at: 0,
  formats: {},
  nudges: {},
  rungs: {},
  temperatures: {},
  modes: {},
};

/** Whether there is anything to learn from it: its replies were guarded and judged. */
export function teaches(event: ProxyEvent): boolean {
  return judged.has(event.outcome) && event.attempts.length > 0 && (event.tools ?? 0) > 0;
}

/** What is known of a model after one more request. */
export function noteEvent(lesson: Lesson, event: ProxyEvent): Lesson {
  const formats = new Map(Object.entries(lesson.formats));
  let { nudges, rungs, modes } = lesson;
  event.attempts.forEach((attempt, at) => {
    const { rung } = attempt;
    if (attempt.format !== undefined) countName(formats, attempt.format);
    rungs = { ...rungs, [rung]: noteTrial(rungs[rung], isRight(attempt)) };
    if (rung === 'native' || rung === 'prompt') {
      modes = { ...modes, [rung]: noteTrial(modes[rung], isWellFormed(attempt)) };
    }
    const next = event.attempts[at + 1];
    if (next !== undefined) nudges = noteNudge(nudges, attempt, isRight(next));
  });
  const [first] = event.attempts;
  const bucket = bucketOf(event.temperature);
  return {
    requests: lesson.requests + 1,
    at: event.at,
    formats: Object.fromEntries(formats),
    nudges,
    rungs,
    temperatures: {
      ...lesson.temperatures,
      [bucket]: noteTrial(lesson.temperatures[bucket], first !== undefined && isRight(first)),
    },
    modes,
  };
}

function noteNudge(nudges: Lesson['nudges'], attempt: Attempt, isWin: boolean): Lesson['nudges'] {
  const { tone } = attempt;
  if (tone === undefined) return nudges;
  const noted = { ...nudges };
  for (const kind of new Set(attempt.problems)) {
    const tones = noted[kind] ?? {};
    noted[kind] = { ...tones, [tone]: noteTrial(tones[String(tone)], isWin) };
  }
  return noted;
}

function noteTrial(trial: Trial | undefined, isWin: boolean): Trial {
  const { tries = 0, wins = 0 } = trial ?? {};
  const next = { tries: tries + 1, wins: wins + (isWin ? 1 : 0) };
  if (next.tries <= longestTrial) return next;
  return { tries: Math.round(next.tries / 2), wins: Math.round(next.wins / 2) };
}

function isRight(attempt: Attempt): boolean {
  return attempt.problems.length === 0;
}

function isWellFormed(attempt: Attempt): boolean {
  return attempt.problems.every((kind) => notOfForm.has(kind));
}

function bucketOf(temperature: number | undefined): TemperatureBucket {
  if (temperature === undefined) return 'unset';
  if (temperature <= 0) return '0';
  if (temperature <= 0.3) return '0.3';
  if (temperature <= 0.7) return '0.7';
  return temperature <= 1 ? '1' : 'more';
}
