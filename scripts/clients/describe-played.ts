import type { ProxyEvent } from '@forge/proxy';
import type { Played } from './play-task.ts';

/** One run in a few lines: what the model said, what the proxy did, how it ended. */
export function describePlayed({ isDone, spoken, events, code, stdout, stderr }: Played): string {
  const lines = [
    `    model said:  ${spoken.join(', ') || 'nothing: it was never asked'}`,
    ...events.map((event) => `    proxy:       ${describeEvent(event)}`),
    `    result:      ${isDone ? 'done' : 'NOT done'}, exit code ${code ?? 'none (ended)'}`,
  ];
  const printed = lastLines(stdout) || lastLines(stderr);
  return [...lines, ...printed.split('\n').map((line) => `    | ${line}`)].join('\n');
}

function describeEvent({ method, path, status, outcome, attempts }: ProxyEvent): string {
  const done = attempts.map(({ rung, problems, format, mended }) =>
    [
      rung,
      ...problems.map((problem) => `refused: ${problem}`),
      ...(format === undefined ? [] : [`read from ${format}`]),
      ...mended,
    ].join(', '),
  );
  const how = done.length > 0 ? ` [${done.join(' → ')}]` : '';
  return `${method} ${path} ${status} ${outcome}${how}`;
}

/** The end of what was printed, without colours. */
function lastLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '').trim();
  return plain.split('\n').slice(-4).join('\n').slice(-400);
}
