import { randomUUID } from 'node:crypto';
import { type Agent, ForgeError, messageOf } from '@forge/core';
import type { ApprovalRule, Store } from '@forge/store';
import { parsePattern } from '@forge/tools/policy';
import { checkArgumentName } from './check-argument-name.ts';
import { noteRuleChange } from './rule-changes.ts';

export interface NewApprovalRule {
  readonly effect: ApprovalRule['effect'];
  /** Such as `shell(git status*)`; see `parsePattern`. */
  readonly pattern: string;
  /** For one run and those below it, for the runs of an agent, or for all. */
  readonly scope: ApprovalRule['scope'];
  /** Who makes it, as the channel knows them. */
  readonly by: string;
  readonly id?: string;
}

export interface RuleView extends ApprovalRule {
  /** Why it cannot be read. Such a rule allows nothing, and while it denies, a person is asked. */
  readonly problem?: string;
}

/** The standing answers to calls, seen and taken back by people. */
export interface Rules {
  /** `invalid_options` for a pattern that cannot be read, or could never be about a call. */
  add(rule: NewApprovalRule): Promise<ApprovalRule>;
  /** Those in force, oldest first; with a run or an agent, those of that scope and of `always`. */
  list(of?: { readonly runId?: string; readonly agent?: string }): Promise<readonly RuleView[]>;
  /** False if there is none of that id in force. */
  revoke(id: string): Promise<boolean>;
}

export function createRules({
  store,
  agents = [],
  now = Date.now,
  newId = randomUUID,
}: {
  readonly store: Pick<Store, 'rules' | 'addRule' | 'revokeRule'>;
  /** Those known here: with them, an argument that no tool has is noticed. */
  readonly agents?: readonly Agent[];
  readonly now?: () => number;
  readonly newId?: () => string;
}): Rules {
  return {
    async add({ effect, pattern, scope, by, id = newId() }) {
      const read = parsePattern(pattern);
      if (by.trim() === '') {
        throw new ForgeError('invalid_options', 'A rule needs to know who made it: give by.');
      }
      const about =
        scope === 'always' || 'runId' in scope ? agents : namedAgent(agents, scope.agent);
      checkArgumentName(read, about);
      const rule = { id, effect, pattern, scope, createdBy: by, createdAt: now() };
      await store.addRule(rule);
      noteRuleChange(store);
      return rule;
    },
    async list({ runId, agent } = {}) {
      const isWanted = ({ scope }: ApprovalRule) => {
        if (scope === 'always' || (runId === undefined && agent === undefined)) return true;
        return 'agent' in scope ? scope.agent === agent : scope.runId === runId;
      };
      return (await store.rules()).filter(isWanted).map(toView);
    },
    async revoke(id) {
      const wasThere = await store.revokeRule(id);
      noteRuleChange(store);
      return wasThere;
    },
  };
}

function namedAgent(agents: readonly Agent[], name: string): readonly Agent[] {
  return agents.filter((agent) => agent.name === name);
}

function toView(rule: ApprovalRule): RuleView {
  try {
    parsePattern(rule.pattern);
    return rule;
  } catch (error) {
    return { ...rule, problem: messageOf(error) };
  }
}
