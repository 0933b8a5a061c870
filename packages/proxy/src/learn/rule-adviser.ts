import type { Advice } from './lesson.ts';
import { adviceOf, defaultRule, type Rule } from './rule.ts';

const defaultAdvice: Advice = { mode: defaultRule.mode, constrainAfter: undefined };

/** Gives advice by rules that may change, and counts the requests of each model they are for. */
export class RuleAdviser {
  readonly #rules = new Map<string, { rule: Rule; requests: number }>();

  /** Undefined where there is none to follow. */
  rule(model: string): Rule | undefined {
    return this.#rules.get(model)?.rule;
  }

  set(model: string, rule: Rule): void {
    const known = this.#rules.get(model);
    if (known === undefined) this.#rules.set(model, { rule, requests: 0 });
    else known.rule = rule;
  }

  delete(model: string): void {
    this.#rules.delete(model);
  }

  advise(model: string): Advice {
    const known = this.#rules.get(model);
    if (known === undefined) return defaultAdvice;
    known.requests += 1;
    return adviceOf(known.rule, known.requests);
  }
}
