import {
  type Agent,
  ForgeError,
  type JsonObject,
  type JsonValue,
  type RunEvent,
} from '@forge/core';
import type { ApprovalRule, ApprovalState, Page, Store } from '@forge/store';
import type { Queue } from '../queue/queue.ts';
import { type ApprovalView, type KnownAgents, toView } from './approval-view.ts';
import { type AuditRecord, auditOf } from './audit.ts';
import { createRuleBook } from './create-rule-book.ts';
import { keepRules } from './keep-rules.ts';
import { type ApprovalDecision, type Decider, prepareDecision } from './prepare-decision.ts';
import type { Remember } from './remember.ts';
import { createRules } from './rules-api.ts';

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly runId?: string;
  /** Of a run at the top, with all that the agents below it ask for. */
  readonly rootId?: string;
}

export interface Decided {
  readonly approvals: readonly ApprovalView[];
  /** Rules that were made of the decisions. */
  readonly rules: readonly ApprovalRule[];
}

/**
 * What people are asked, and what they say to it. Works from any process, with or without workers;
 * an id is enough. `by` is who somebody is by the login of the channel, never what a caller says
 * of themselves: channels give it.
 */
export interface Approvals {
  /** Newest first. */
  list(
    filter?: ApprovalFilter,
    page?: { readonly limit?: number; readonly after?: string },
  ): Promise<Page<ApprovalView>>;
  /** `not_found` for an id that nobody gave out. */
  get(id: string): Promise<ApprovalView>;
  /**
   * Decides all of these or none, each exactly once however many decide. `not_found`,
   * `already_decided`, `expired`, `not_allowed` (not theirs to decide, or a rule denies it), or
   * `invalid_options` (arguments, answer or pattern that do not fit) for the first that cannot be.
   */
  decide(decisions: readonly ApprovalDecision[], who: Decider): Promise<Decided>;
  approve(
    id: string,
    who: Decider & { readonly args?: JsonObject; readonly remember?: Remember },
  ): Promise<ApprovalView>;
  deny(
    id: string,
    who: Decider & { readonly reason?: string; readonly remember?: Remember },
  ): Promise<ApprovalView>;
  /** The answer to a question, in the form it asks for. */
  answer(id: string, value: JsonValue, who: Decider): Promise<ApprovalView>;
  /** Every decision on the calls of a run, by people and by rules, as its log has it. */
  audit(runId: string): AsyncIterable<AuditRecord>;
}

export interface ApprovalsOptions {
  readonly store: Store;
  /** Those known here: edits are checked at once by their tools, else before the call starts. */
  readonly agents?: readonly Agent[];
  readonly queue?: Pick<Queue, 'publish'>;
  readonly now?: () => number;
}

const eventsPage = 500;

export function createApprovals({
  store,
  agents = [],
  queue,
  now = Date.now,
}: ApprovalsOptions): Approvals {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const known: KnownAgents = (name) => byName.get(name);
  const book = createRuleBook(store, { now });
  const rules = createRules({ store, agents, now });

  const decide: Approvals['decide'] = async (decisions, { by, via }) => {
    if (by.trim() === '') {
      throw new ForgeError('invalid_options', 'A decision needs to know who decides: give by.');
    }
    const at = now();
    const prepared = [];
    for (const decision of decisions) {
      const row = await store.approval(decision.id);
      const who = { by, ...(via !== undefined && { via }) };
      prepared.push(
        await prepareDecision(decision, { row, agents: known, rules: book, now: at, ...who }),
      );
    }
    const rows = await store.decide(
      prepared.map(({ decision }) => decision),
      at,
    );
    for (const runId of new Set(rows.map((row) => row.runId))) await queue?.publish(runId);
    // A crash before this loses the rule, not the decision: the next call is asked for again.
    const kept = await keepRules(
      rules,
      prepared.flatMap(({ rule }) => rule ?? []),
    );
    return { approvals: rows.map((row) => toView(row, known, at)), rules: kept };
  };

  const decideOne = async (decision: ApprovalDecision, who: Decider): Promise<ApprovalView> => {
    const [approval] = (await decide([decision], who)).approvals;
    if (approval === undefined) throw noApproval(decision.id);
    return approval;
  };

  return {
    decide,
    async list(filter, page) {
      const { items, next } = await store.approvals(filter, page);
      return { items: items.map((row) => toView(row, known, now())), next };
    },
    async get(id) {
      const row = await store.approval(id);
      if (row === undefined) throw noApproval(id);
      return toView(row, known, now());
    },
    approve: (id, { args, remember, ...who }) =>
      decideOne(
        {
          id,
          action: 'approve',
          ...(args !== undefined && { args }),
          ...(remember !== undefined && { remember }),
        },
        who,
      ),
    deny: (id, { reason, remember, ...who }) =>
      decideOne(
        {
          id,
          action: 'deny',
          ...(reason !== undefined && { reason }),
          ...(remember !== undefined && { remember }),
        },
        who,
      ),
    answer: (id, value, who) => decideOne({ id, action: 'answer', value }, who),
    audit: (runId) => auditOf(eventsOf(store, runId)),
  };
}

async function* eventsOf(store: Store, runId: string): AsyncGenerator<RunEvent> {
  let after = 0;
  for (;;) {
    const events = await store.events(runId, { after, limit: eventsPage });
    for (const event of events) {
      after = event.seq;
      if (!('broken' in event)) yield event;
    }
    if (events.length < eventsPage) return;
  }
}

function noApproval(id: string): ForgeError {
  return new ForgeError('not_found', `There is no approval "${id}".`);
}
