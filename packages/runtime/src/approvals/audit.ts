import type { JsonObject, RunEvent } from '@forge/core';

/** How a call came to run, or not to: for whoever has to account for it. */
export interface AuditRecord {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly outcome: 'approved' | 'denied' | 'expired' | 'open';
  /** What the model proposed. */
  readonly proposed: JsonObject;
  /** What a person put in its place. */
  readonly approved: JsonObject | undefined;
  /** What ran; undefined if it did not. */
  readonly effective: JsonObject | undefined;
  readonly by: string | undefined;
  /** The channel. */
  readonly via: string | undefined;
  /** The id of the rule that decided, where it was no person. */
  readonly rule: string | undefined;
  readonly reason: string | undefined;
  readonly requestedAt: number;
  readonly decidedAt: number | undefined;
}

const byRule = /^rule (.+)$/s;

/**
 * Every decision on a call of a run, read off its log: by a person or by a rule. A record comes when
 * its call has started or ended, those that are still open at the end.
 */
export async function* auditOf(
  events: AsyncIterable<RunEvent> | Iterable<RunEvent>,
): AsyncGenerator<AuditRecord> {
  const open = new Map<string, AuditRecord>();
  for await (const event of events) {
    const known = 'callId' in event ? open.get(event.callId) : undefined;
    switch (event.type) {
      case 'approval.requested':
        if (known !== undefined) yield known;
        open.set(event.callId, requested(event));
        break;
      case 'approval.decided':
        if (known?.outcome === 'open') open.set(event.callId, decided(known, event));
        break;
      case 'approval.expired':
        if (known?.outcome !== 'open') break;
        open.set(event.callId, { ...known, outcome: 'expired', decidedAt: event.at });
        break;
      case 'tool.started':
      case 'tool.finished':
        if (known === undefined) break;
        open.delete(event.callId);
        yield event.type === 'tool.started' ? { ...known, effective: event.args } : known;
        break;
      default:
    }
  }
  yield* open.values();
}

function requested(event: Extract<RunEvent, { type: 'approval.requested' }>): AuditRecord {
  return {
    runId: event.runId,
    callId: event.callId,
    tool: event.name,
    outcome: 'open',
    proposed: event.args,
    approved: undefined,
    effective: undefined,
    by: undefined,
    via: undefined,
    rule: undefined,
    reason: undefined,
    requestedAt: event.at,
    decidedAt: undefined,
  };
}

function decided(
  record: AuditRecord,
  { approved, args, by, via, reason, at }: Extract<RunEvent, { type: 'approval.decided' }>,
): AuditRecord {
  const rule = via === undefined ? undefined : byRule.exec(via)?.[1];
  return {
    ...record,
    outcome: approved ? 'approved' : 'denied',
    approved: args,
    by,
    via: rule === undefined ? via : undefined,
    rule,
    reason,
    decidedAt: at,
  };
}
