import { printable } from '../../printable.ts';
import type { Style, Terminal } from '../../terminal.ts';
import { wrapText } from '../../wrap-text.ts';
import { describeBackend } from './banner.ts';
import type { CheckReport } from './check-report.ts';
import { describeAttempts } from './describe-request.ts';
import type { Trial } from './try-tool-call.ts';

const labelWidth = 10;
const widest = 100;
const mostModels = 8;

/** A report for people. */
export function printCheck(terminal: Terminal, report: CheckReport): void {
  const { backend, model, direct, streaming, proxy, advice } = report;
  const room = Math.min(terminal.columns, widest) - labelWidth - 1;
  const row = (label: string, text: string, style?: Style) => {
    for (const [index, line] of wrapText(text, room).entries()) {
      const head = (index === 0 ? label : '').padEnd(labelWidth);
      const shown = style === undefined ? line : terminal.style(style, line);
      terminal.out(`${terminal.style('dim', head)} ${shown}`);
    }
  };
  row('backend', describeBackend(backend, model));
  if (backend.models.length > 1) row('models', listModels(backend.models));
  row('directly', describeTrial(direct), direct.saw === 'native' ? 'green' : 'yellow');
  row('streaming', streaming ? 'yes' : 'no');
  const won = proxy.trial.saw === 'native';
  const forced = proxy.toolChoice === 'required' ? ', with tool_choice "required"' : '';
  const how = describeAttempts(proxy.outcome, proxy.attempts);
  row('proxy', `${describeTrial(proxy.trial)}${forced}`, won ? 'green' : 'red');
  if (how !== '') row('', `${proxy.outcome}: ${how}`, 'yellow');
  terminal.out();
  for (const [index, line] of advice.entries()) row(index === 0 ? 'advice' : '', line);
}

/** What a client would see. */
function describeTrial(trial: Trial): string {
  switch (trial.saw) {
    case 'native':
      return `a native call, get_weather(${printable(JSON.stringify(trial.args), 80)})${mended(trial.mended)}`;
    case 'text':
      return `a call written as text (${trial.format}); a client would see no call`;
    case 'bad_call':
      return `a call that cannot be used (${trial.problems.join(', ')})`;
    case 'answer':
      return trial.text.trim() === ''
        ? 'an empty reply'
        : `words only: "${printable(trial.text, 80)}"`;
    case 'error':
      return `an error, ${trial.kind}: ${printable(trial.message, 160)}`;
    default:
      return trial satisfies never;
  }
}

function mended(list: readonly string[]): string {
  return list.length === 0 ? '' : `, once mended: ${list.join('; ')}`;
}

function listModels(models: readonly string[]): string {
  const more = models.length - mostModels;
  const shown = models.slice(0, mostModels).map((model) => printable(model, 60));
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
