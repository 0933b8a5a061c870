import type { ProxyEvent } from '../proxy-event.ts';
import type { Lessons } from '../shared-state.ts';
import { readLessons, writeLessons } from './lessons-file.ts';
import { emptyLesson, noteEvent, teaches } from './note-event.ts';
import { defaultRule, isSameRule, type Rule, ruleOf } from './rule.ts';
import { RuleAdviser } from './rule-adviser.ts';

export type { Advice, Lesson } from './lesson.ts';

const mostModels = 200;
const longestModel = 200;
const writeEvery = 5_000;

export interface LessonsOptions {
  /** Kept here. One process writes it; two would write over each other. */
  readonly file: string;
  /** Told where the file cannot be read or written. Learning goes on in memory. */
  readonly onNotice?: (notice: string) => void;
  /** Told when the rule for a model is another. */
  readonly onRule?: (model: string, rule: Rule) => void;
}

export interface OpenLessons extends Lessons {
  /** The rules that are not the default. */
  rules(): Readonly<Record<string, Rule>>;
  /** What was wrong with the file when it was read. */
  readonly notice: string | undefined;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** Opens what was learned about each model. Written at most every five seconds, and at the end. */
export async function openLessons(options: LessonsOptions): Promise<OpenLessons> {
  const { file, onNotice = () => {}, onRule = () => {} } = options;
  const { lessons: read, notice } = await readLessons(file);
  if (notice !== undefined) onNotice(notice);
  /** The one not asked for the longest comes first. */
  const lessons = new Map([...read].slice(-mostModels));
  const adviser = new RuleAdviser();
  for (const [model, lesson] of lessons) adviser.set(model, ruleOf(lesson));

  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let isChanged = false;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      if (!isChanged) return;
      isChanged = false;
      try {
        await writeLessons(file, lessons);
      } catch (error) {
        onNotice(`What was learned could not be written to ${file}: ${String(error)}`);
      }
    });
    return writing;
  };

  const forgetOldest = () => {
    for (const model of lessons.keys()) {
      if (lessons.size <= mostModels) return;
      lessons.delete(model);
      adviser.delete(model);
      onRule(model, defaultRule);
    }
  };

  return {
    notice,
    advise: (model) => adviser.advise(model),
    observe(event: ProxyEvent) {
      const { model } = event;
      if (model === undefined || model.length > longestModel || !teaches(event)) return;
      const lesson = noteEvent(lessons.get(model) ?? emptyLesson, event);
      lessons.delete(model);
      lessons.set(model, lesson);
      const rule = ruleOf(lesson);
      const before = adviser.rule(model) ?? defaultRule;
      adviser.set(model, rule);
      if (!isSameRule(before, rule)) onRule(model, rule);
      forgetOldest();
      isChanged = true;
      timer ??= setTimeout(write, writeEvery).unref();
    },
    all: async () => Object.fromEntries(lessons),
    rules() {
      const special = [...lessons.keys()].flatMap((model) => {
        const rule = adviser.rule(model) ?? defaultRule;
        return isSameRule(rule, defaultRule) ? [] : [[model, rule] as const];
      });
      return Object.fromEntries(special);
    },
    close: () => write(),
  };
}
