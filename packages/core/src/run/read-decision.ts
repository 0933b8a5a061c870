import { ForgeError } from '../errors.ts';
import type { ApprovalDecision } from './run-types.ts';

/** What `approve` returned, and nothing else. A yes or no that is neither is the caller's bug. */
export function readDecision(decision: ApprovalDecision): ApprovalDecision {
  if (typeof decision?.approved !== 'boolean') {
    throw new ForgeError(
      'invalid_options',
      'approve() must return { approved: true } or { approved: false }.',
    );
  }
  const { approved, args, by, reason } = decision;
  return { approved, args, by, reason };
}
