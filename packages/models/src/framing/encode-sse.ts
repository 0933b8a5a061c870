import type { Frame } from '../wire/wire.ts';

/** One server-sent event. Line breaks in `data` arrive as LF, whatever they were. */
export function encodeSse({ event, data }: Frame): string {
  const head =
    event === undefined || event === '' ? '' : `event: ${event.replace(/[\r\n]/g, '')}\n`;
  const body = hasLineBreak(data) ? data.replace(/\r\n|\r|\n/g, '\ndata: ') : data;
  return `${head}data: ${body}\n\n`;
}

function hasLineBreak(data: string): boolean {
  return data.includes('\n') || data.includes('\r');
}
