import type { JsonObject } from '@forge/core';

/** What the rules say about a call before anybody is asked. */
export interface RuleBook {
  /**
   * Undefined where no rule is about it. A rule that denies wins over all that allow. Asked for
   * every call before it starts: a call that a rule denies never runs, whatever else was decided.
   */
  judge(call: RuledCall): Promise<Ruling | undefined>;
}

export interface RuledCall {
  readonly runId: string;
  /** The run at the top of the family: its rules hold for all below it. */
  readonly rootId: string;
  readonly agent: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The tool's main argument, where the tool is known and has one. */
  readonly main?: string | undefined;
}

export interface Ruling {
  readonly effect: 'allow' | 'deny';
  readonly ruleId: string;
  readonly pattern: string;
}
