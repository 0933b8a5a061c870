import { describe } from 'node:test';
import { appendEffectsConformance } from './append-effects.ts';
import { appendsConformance } from './appends.ts';
import { approvalListsConformance } from './approval-lists.ts';
import { approvalsConformance } from './approvals.ts';
import { claimsConformance } from './claims.ts';
import { damageConformance } from './damage.ts';
import { deploymentsConformance } from './deployments.ts';
import { endingsConformance } from './endings.ts';
import { feedConformance } from './feed.ts';
import { inboxConformance } from './inbox.ts';
import { keptConformance } from './kept.ts';
import type { OpenTestDatabase } from './kit.ts';
import { labelStatesConformance } from './label-states.ts';
import { memoryConformance } from './memory.ts';
import { memorySearchConformance } from './memory-search.ts';
import { modelConformance } from './model.ts';
import { nulConformance } from './nul.ts';
import { outcomesConformance } from './outcomes.ts';
import { projectionsConformance } from './projections.ts';
import { redactionConformance } from './redaction.ts';
import { retentionConformance } from './retention.ts';
import { runsConformance } from './runs.ts';
import { schedulesConformance } from './schedules.ts';
import { strikesConformance } from './strikes.ts';
import { topRunsConformance } from './top-runs.ts';

/**
 * What every make of the store has to do. `open` makes an empty database for each test; its stores
 * go by the clock they are given.
 *
 * @example
 * storeConformance('sqlite', openTestSqlite);
 */
export function storeConformance(name: string, open: OpenTestDatabase): void {
  describe(`${name} store`, () => {
    runsConformance(open);
    labelStatesConformance(open);
    topRunsConformance(open);
    claimsConformance(open);
    strikesConformance(open);
    appendsConformance(open);
    appendEffectsConformance(open);
    endingsConformance(open);
    inboxConformance(open);
    approvalsConformance(open);
    approvalListsConformance(open);
    schedulesConformance(open);
    feedConformance(open);
    keptConformance(open);
    projectionsConformance(open);
    outcomesConformance(open);
    deploymentsConformance(open);
    memoryConformance(open);
    memorySearchConformance(open);
    redactionConformance(open);
    retentionConformance(open);
    damageConformance(open);
    nulConformance(open);
    modelConformance(open);
  });
}
