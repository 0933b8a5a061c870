import type { RunEvent } from '@forge/core';
import { nudgeText, textOf } from '@forge/core';

/** What a line is about, which decides its colour. */
export type Look = 'model' | 'good' | 'mended' | 'refused' | 'tool' | 'failed' | 'end';

export interface DemoLine {
  readonly look: Look;
  readonly label: string;
  readonly text: string;
}

/** What a person should see of an event. Events that are only bookkeeping give nothing. */
export function describeEvent(event: RunEvent): readonly DemoLine[] {
  switch (event.type) {
    case 'model.replied': {
      const said = event.reply.content.map((part) => {
        if (part.type === 'tool_call') return `${part.name}(${asText(part.args)})`;
        return 'text' in part ? part.text : '';
      });
      return [{ look: 'model', label: `turn ${event.turn}`, text: said.join(' ') }];
    }
    case 'reply.accepted': {
      const how = event.source === 'rescued' ? `rescued (${event.format})` : 'accepted';
      const what = event.calls
        .map((call) => `${call.name}(${JSON.stringify(call.args)})`)
        .join(', ');
      return [
        { look: event.mended.length > 0 ? 'mended' : 'good', label: how, text: what },
        ...event.mended
          .filter(({ what }) => !what.startsWith('found as text'))
          .map(({ what }): DemoLine => ({ look: 'mended', label: 'repaired', text: what })),
      ];
    }
    case 'reply.refused':
      return event.problems.map((problem) => ({
        look: 'refused',
        label: event.kind === 'blocked' ? 'blocked' : 'nudged',
        text: nudgeText(problem, 1),
      }));
    case 'tool.finished':
      return [
        {
          look: event.outcome === 'ok' ? 'tool' : 'failed',
          label: event.outcome === 'ok' ? 'tool' : 'tool failed',
          text: `${event.name} → ${textOf(event)}`,
        },
      ];
    case 'run.finished':
      return [
        {
          look: event.status === 'completed' ? 'end' : 'failed',
          label: event.status,
          text: event.explanation,
        },
      ];
    default:
      return [];
  }
}

/** Arguments as the model sent them: often JSON text already. */
function asText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}
