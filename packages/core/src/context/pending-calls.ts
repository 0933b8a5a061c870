/** Why an accepted call has no result yet. */
export type PendingState = 'running' | 'awaiting_approval' | 'awaiting_answer';

/** Accepted calls without a result, by call id. */
export type PendingCalls = ReadonlyMap<string, PendingState>;

/** What the model reads in the place of a result that is still to come. */
export function pendingText(state: PendingState): string {
  switch (state) {
    case 'running':
      return '[still running; the result will stand here once it is there]';
    case 'awaiting_approval':
      return '[not run yet: waiting for a person to approve this call]';
    case 'awaiting_answer':
      return '[waiting for a person to answer]';
    default:
      return state satisfies never;
  }
}
