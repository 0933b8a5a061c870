import type { RunEvent } from '@forge/core';
import type { Style, Terminal } from '../../terminal.ts';
import { wrapText } from '../../wrap-text.ts';
import { describeEvent, type Look } from './describe-event.ts';
import { request } from './picnic.ts';
import type { DemoResult } from './run-demo.ts';

/** Shows a demo while it runs. */
export interface DemoPrinter {
  begin(): void;
  event(event: RunEvent): void;
  end(result: DemoResult): void;
}

const styles: Readonly<Record<Look, Style>> = {
  model: 'dim',
  good: 'green',
  mended: 'yellow',
  refused: 'magenta',
  tool: 'cyan',
  failed: 'red',
  end: ['bold', 'green'],
};

const labelWidth = 18;
const widest = 100;

/** For people: a line for each thing that happened, with what the guardrails did about it. */
export function printEvents(terminal: Terminal): DemoPrinter {
  const room = Math.min(terminal.columns, widest) - labelWidth - 1;
  const print = (style: Style, label: string, text: string): void => {
    for (const [index, line] of wrapText(text, room).entries()) {
      const head = (index === 0 ? label : '').padEnd(labelWidth);
      terminal.out(`${terminal.style(style, head)} ${line}`);
    }
  };
  return {
    begin: () => print('bold', 'asked', request),
    event: (event) => {
      for (const { look, label, text } of describeEvent(event)) {
        if (look === 'model') terminal.out();
        print(styles[look], label, text);
      }
    },
    end: ({ guarded, bare }) => {
      terminal.out();
      print('bold', 'in short', summary(guarded.events));
      print(
        'dim',
        'guardrails off',
        `the same script ends at turn ${bare.turns}. ${bare.explanation}`,
      );
    },
  };
}

function summary(events: readonly RunEvent[]): string {
  const count = (has: (event: RunEvent) => boolean) => events.filter(has).length;
  const replies = count((event) => event.type === 'model.replied');
  const refused = count((event) => event.type === 'reply.refused');
  const rescued = count((event) => event.type === 'reply.accepted' && event.source === 'rescued');
  const failed = count((event) => event.type === 'tool.finished' && event.outcome !== 'ok');
  return `${replies} replies: ${refused} refused with a nudge, ${rescued} rescued from text; ${failed} tool failure survived.`;
}

/** For programs: the events as they are. */
export function printJson(terminal: Terminal): DemoPrinter {
  return {
    begin: () => {},
    event: (event) => terminal.out(JSON.stringify(event)),
    end: () => {},
  };
}
