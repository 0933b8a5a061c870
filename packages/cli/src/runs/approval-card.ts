import { type JsonObject, type JsonValue, neutralise } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { ApprovalView } from '@forge/runtime';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { inDate } from './words.ts';

/** What somebody decides on: exactly what will run, nothing cut, hidden characters made visible. */
export function approvalCard(view: ApprovalView, { style }: Pick<Terminal, 'style'>): string[] {
  const { agent, tool, question, effective, expiresAt } = view;
  const head = `${style('bold', printable(bareAgent(agent)))} ${headline(view)}`;
  const lines = [head, ...argumentLines(effective)];
  if (question !== undefined && 'question' in question) {
    lines.splice(1, lines.length - 1, ...block(question.question));
    if (question.context !== undefined) lines.push(...block(question.context));
    if (question.url !== undefined) lines.push(`  ${neutralise(question.url)}`);
    if (question.kind === 'choice') {
      for (const [at, choice] of question.choices.entries()) {
        lines.push(`  ${at + 1}. ${printable(choice, 500)}`);
      }
    }
  }
  if (question?.kind === 'interrupted') {
    lines.push(`  ${tool} had begun when its process died. Whether it took effect is not known.`);
  }
  lines.push(style('dim', `  id: ${neutralise(view.id)}`));
  if (expiresAt !== undefined) lines.push(style('dim', `  until ${inDate(expiresAt)} UTC`));
  return lines;
}

function headline({ tool, question }: ApprovalView): string {
  if (question === undefined) return `wants to run ${printable(tool)}:`;
  if (question.kind === 'interrupted') return `may run ${printable(tool)} again?`;
  return 'asks:';
}

function argumentLines(args: JsonObject): string[] {
  return Object.entries(args).flatMap(([key, value]) => {
    const [first = '', ...rest] = neutralise(asText(value)).split('\n');
    const name = printable(key, 100);
    return rest.length === 0
      ? [`  ${name}: ${first}`]
      : [`  ${name}:`, ...[first, ...rest].map((line) => `  │ ${line}`)];
  });
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function block(text: string): string[] {
  return neutralise(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
