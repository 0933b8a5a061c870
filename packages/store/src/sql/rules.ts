import { ForgeError } from '@forge/core';
import type { Kysely } from 'kysely';
import type { WriteTx } from '../engine.ts';
import type { Tables } from '../schema/tables.ts';
import type { ApprovalRule } from '../store.ts';
import { readRule } from './readers.ts';

/** Each decision looks through all of them: so many are more than anybody can oversee. */
const mostRules = 10_000;

export async function addRule({ db }: WriteTx, rule: ApprovalRule): Promise<void> {
  const { count } = await db
    .selectFrom('rules')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('revoked', '=', 0)
    .executeTakeFirstOrThrow();
  if (Number(count) >= mostRules) {
    throw new ForgeError('not_allowed', `There are ${mostRules} rules. Revoke some first.`);
  }
  const { scope } = rule;
  const inserted = await db
    .insertInto('rules')
    .values({
      id: rule.id,
      effect: rule.effect,
      pattern: rule.pattern,
      scope: scope === 'always' ? 'always' : 'runId' in scope ? 'run' : 'agent',
      scope_id: scope === 'always' ? null : 'runId' in scope ? scope.runId : scope.agent,
      created_by: rule.createdBy,
      created_at: Math.trunc(rule.createdAt),
      revoked: 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    throw new ForgeError(
      'invalid_options',
      `There is, or was, a rule "${rule.id}". Use another id.`,
    );
  }
}

/** Those in force, oldest first. */
export async function listRules(db: Kysely<Tables>): Promise<readonly ApprovalRule[]> {
  const rows = await db
    .selectFrom('rules')
    .selectAll()
    .where('revoked', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .limit(mostRules)
    .execute();
  return rows.map(readRule);
}

/** False if it was not in force. */
export async function revokeRule({ db }: WriteTx, id: string): Promise<boolean> {
  const changed = await db
    .updateTable('rules')
    .set({ revoked: 1 })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}
