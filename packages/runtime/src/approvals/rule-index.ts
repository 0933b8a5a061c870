import type { ApprovalRule } from '@forge/store';
import {
  allowsCall,
  type CallPattern,
  deniesCall,
  literalOf,
  parsePattern,
} from '@forge/tools/policy';
import type { RuledCall, Ruling } from './rule-book.ts';

interface ReadRule {
  readonly rule: ApprovalRule;
  /** Undefined if it cannot be read: of another version, or damaged. */
  readonly pattern: CallPattern | undefined;
}

/** Rules made ready to judge calls: a call meets only those that may be about its tool. */
export class RuleIndex {
  readonly #byTool = new Map<string, ReadRule[]>();
  readonly #wide: ReadRule[] = [];

  constructor(rules: readonly ApprovalRule[]) {
    for (const rule of rules) this.#add({ rule, pattern: readPattern(rule.pattern) });
  }

  judge(call: RuledCall): Ruling | undefined {
    const near = [...(this.#byTool.get(call.tool) ?? []), ...this.#wide].filter(({ rule }) =>
      isInScope(rule, call),
    );
    const denies = near.find(
      ({ rule, pattern }) => rule.effect === 'deny' && pattern && deniesCall(pattern, call),
    );
    if (denies !== undefined) return toRuling(denies.rule);
    // A no that cannot be read may be about this call: then no yes counts, and a person is asked.
    if (near.some(({ rule, pattern }) => rule.effect === 'deny' && pattern === undefined))
      return undefined;
    const allows = near
      .filter(
        ({ rule, pattern }) => rule.effect === 'allow' && pattern && allowsCall(pattern, call),
      )
      .sort((a, b) => narrowness(a.rule) - narrowness(b.rule))[0];
    return allows && toRuling(allows.rule);
  }

  #add(read: ReadRule) {
    const tool = read.pattern && literalOf(read.pattern.tool);
    const known = tool === undefined ? this.#wide : this.#byTool.get(tool);
    if (known !== undefined) known.push(read);
    else if (tool !== undefined) this.#byTool.set(tool, [read]);
  }
}

function readPattern(text: string): CallPattern | undefined {
  try {
    return parsePattern(text);
  } catch {
    return undefined; // The list of rules says what is wrong with it.
  }
}

function isInScope({ scope }: ApprovalRule, { runId, rootId, agent }: RuledCall): boolean {
  if (scope === 'always') return true;
  return 'agent' in scope ? scope.agent === agent : [runId, rootId].includes(scope.runId);
}

/** Where several allow it, the narrowest is named. */
function narrowness({ scope }: ApprovalRule): number {
  if (scope === 'always') return 2;
  return 'agent' in scope ? 1 : 0;
}

function toRuling({ effect, id, pattern }: ApprovalRule): Ruling {
  return { effect, ruleId: id, pattern };
}
