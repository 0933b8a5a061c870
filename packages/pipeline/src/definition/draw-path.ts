import type { Fault } from './fault.ts';

const arrow = ' → ';
/** Longer ones lose their middle: the ends are what one needs. */
const mostSteps = 10;

/**
 * A path with a pointer below it:
 *
 *     plan → code → review → plan
 *                          ^ give it a loop, or take it out
 */
export function drawPath({ path, at = path.length - 1, hint }: Omit<Fault, 'problem'>): string[] {
  if (path.length === 0) return [hint];
  const marked = at === 'edge' ? path.length - 1 : at;
  const steps = shorten(path, marked);
  const line = steps.map(({ text }) => text).join(arrow);
  const index = steps.findIndex((step) => step.index === marked);
  const before = steps.slice(0, index).map(({ text }) => text);
  const start = before.map((text) => text.length + arrow.length).reduce((a, b) => a + b, 0);
  if (at === 'edge' && index > 0) return [line, `${' '.repeat(start - 2)}^ ${hint}`];
  const width = steps[index]?.text.length ?? 1;
  return [line, `${' '.repeat(start)}${'^'.repeat(width)} ${hint}`];
}

function shorten(path: readonly string[], marked: number) {
  const steps = path.map((text, index) => ({ text, index }));
  if (path.length <= mostSteps) return steps;
  const keep = (index: number) =>
    index < 3 || index >= path.length - 5 || Math.abs(index - marked) <= 1;
  return steps.flatMap((step) => {
    if (keep(step.index)) return [step];
    return keep(step.index - 1) ? [{ text: '…', index: -1 }] : [];
  });
}
