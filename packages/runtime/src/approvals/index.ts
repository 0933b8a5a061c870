export type { ApprovalAction, ApprovalView } from './approval-view.ts';
export {
  type ApprovalFilter,
  type Approvals,
  type ApprovalsOptions,
  createApprovals,
  type Decided,
} from './approvals-api.ts';
export type { AuditRecord } from './audit.ts';
export type { ApprovalDecision, Decider } from './prepare-decision.ts';
export type { Remember } from './remember.ts';
export { createRules, type NewApprovalRule, type Rules, type RuleView } from './rules-api.ts';
