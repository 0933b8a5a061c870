import { nudgeText, type RunEvent, textOf } from '@forge/core';
import { printable } from '../printable.ts';
import { counted, inBrief, inDollars, inShort, inTime, saidInBrief } from './words.ts';

export interface EventLine {
  readonly level: 'info' | 'warn' | 'error';
  /** Bookkeeping, for whoever wants to see all of it. */
  readonly detail: boolean;
  /** One line, safe to print. */
  readonly text: string;
}

const longest = 240;

/** Every event in a sentence for people. */
export function describeEvent(event: RunEvent): EventLine {
  switch (event.type) {
    case 'run.started':
      return info(`begins: ${saidInBrief(event.input.map(textOf).join(' '), longest)}`);
    case 'run.resumed': {
      const again =
        event.again.length === 0 ? '' : `; ${counted(event.again.length, 'call')} again`;
      return info(`goes on where it was left${again}`);
    }
    case 'run.paused':
      return warn(`is paused${by(event.by)}${because(event.reason)}`);
    case 'run.continued':
      return info(`goes on${by(event.by)}`);
    case 'input.received':
      return info(`is told: ${said(event.messages.map(textOf).join(' '))}`);
    case 'context.compacted':
      return detail(
        `makes room (${event.tier}): ${inShort(event.tokensBefore)} to ${inShort(event.tokensAfter)} tokens`,
      );
    case 'context.summary_requested':
      return detail(`has ${counted(event.replaces.length, 'message')} summed up`);
    case 'context.summary_failed':
      return warn(`could not sum up what was said: ${said(event.error)}`);
    case 'context.summarized':
      return detail(`has a summary of ${counted(event.replaces.length, 'message')}`);
    case 'context.warned':
      return detail(`is warned: ${said(event.text)}`);
    case 'model.requested': {
      const model = event.model === undefined ? 'the model' : printable(event.model);
      return detail(
        `turn ${event.turn}: asks ${model} (${inShort(event.estimatedTokens)} tokens, estimated)`,
      );
    }
    case 'model.replied': {
      const { usage, cost } = event.reply;
      const tokens = usage === undefined ? '' : `, ${inShort(usage.outputTokens)} tokens`;
      const price = cost === undefined || cost === 0 ? '' : `, ${inDollars(cost)}`;
      return detail(`turn ${event.turn}: the model replies${tokens}${price}`);
    }
    case 'model.failed':
      return error(`turn ${event.turn}: the model could not be asked: ${said(event.error)}`);
    case 'reply.answered':
      return info(`answers: ${said(event.text)}`);
    case 'reply.accepted': {
      const calls = event.calls.map(({ name, args }) => `${name} ${inBrief(args, 80)}`.trimEnd());
      const mended = event.mended.map(({ what }) => what);
      const how = event.source === 'rescued' ? `, found in its text (${event.format})` : '';
      const repaired = mended.length === 0 ? '' : `; repaired: ${mended.join(', ')}`;
      return { ...detail(said(`wants ${calls.join(', ')}${how}${repaired}`)) };
    }
    case 'reply.refused': {
      const why = event.problems.map((problem) => nudgeText(problem, 1)).join(' ');
      return warn(`is sent back (${event.kind}): ${said(why)}`);
    }
    case 'approval.requested':
      return warn(`asks for a yes: ${event.name} ${inBrief(event.args)}`.trimEnd());
    case 'approval.decided':
      return event.approved
        ? info(
            `may go on${by(event.by)}${event.args === undefined ? '' : ', with other arguments'}`,
          )
        : warn(`is denied it${by(event.by)}${because(event.reason)}`);
    case 'approval.expired':
      return warn('gets no answer in time');
    case 'calls.deferred':
      return detail(
        `goes on without ${counted(event.callIds.length, 'result')} that ${event.callIds.length === 1 ? 'is' : 'are'} still to come`,
      );
    case 'tool.started':
      return info(`${event.name} ${inBrief(event.args)}`.trimEnd());
    case 'question.asked':
      return warn(`${event.name} asks: ${said(event.message)}`);
    case 'question.closed':
      return info(`the question is ${event.outcome}${by(event.by)}`);
    case 'tool.finished': {
      const text = `${event.name}: ${event.outcome}${shown(textOf(event))}`;
      if (event.outcome === 'ok') return detail(text);
      return event.outcome === 'error' ? error(text) : warn(text);
    }
    case 'run.finished': {
      const text = `${event.status}: ${said(event.explanation)}`;
      if (event.status === 'completed') return info(text);
      return event.status === 'failed' ? error(text) : warn(text);
    }
    case 'outcome.recorded': {
      const { kind, verdict, note, tokens, cost, latencyMs } = event;
      const figures = [inTime(latencyMs), `${inShort(tokens)} tokens`, inDollars(cost)].join(', ');
      const text = `outcome of the ${kind}: ${verdict} (${figures})${note ? `: ${said(note)}` : ''}`;
      return event.kind === 'human' ? info(`${text}${by(event.by)}`) : detail(text);
    }
    default:
      return unknown(event);
  }
}

/** A log may hold what a later version wrote. */
function unknown(event: never): EventLine {
  return detail(`something this version does not know: ${said(JSON.stringify(event))}`);
}

function info(text: string): EventLine {
  return { level: 'info', detail: false, text };
}

function warn(text: string): EventLine {
  return { level: 'warn', detail: false, text };
}

function error(text: string): EventLine {
  return { level: 'error', detail: false, text };
}

function detail(text: string): EventLine {
  return { level: 'info', detail: true, text };
}

function said(text: string): string {
  return printable(text, longest);
}

function shown(text: string): string {
  const line = said(text);
  return line === '' ? '' : `: ${line}`;
}

function by(who: string | undefined): string {
  return who === undefined ? '' : ` (${printable(who, 60)})`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${said(reason)}`;
}
