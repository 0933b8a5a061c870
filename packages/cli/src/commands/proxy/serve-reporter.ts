import { inspect } from 'node:util';
import type { ProxyEvent } from '@forge/proxy';
import { printable } from '../../printable.ts';
import type { Terminal } from '../../terminal.ts';
import { printBanner, publicUrl } from './banner.ts';
import { describeRequest, isWorthALine } from './describe-request.ts';
import type { OpenBackend } from './open-backend.ts';
import type { ProxySettings } from './settings.ts';
import { createTally, describeTally } from './tally.ts';

/** Shows what the proxy does while it runs. */
export interface ServeReporter {
  begin(start: {
    readonly settings: ProxySettings;
    readonly backend: OpenBackend;
    readonly url: string;
  }): void;
  request(event: ProxyEvent): void;
  /** Something went wrong that should not be able to. The proxy goes on. */
  bug(error: unknown): void;
  /** Something a person should know of, such as a worker that had to be started again. */
  notice(text: string): void;
  stopping(): void;
  end(): void;
}

/** For people: the first lines, then a line for each request that matters. */
export function linesReporter(
  terminal: Terminal,
  { verbose }: { readonly verbose: boolean },
): ServeReporter {
  const tally = createTally();
  return {
    begin: (start) => printBanner(terminal, { ...start, verbose }),
    request: (event) => {
      tally.add(event);
      if (verbose || isWorthALine(event)) terminal.out(describeRequest(event, terminal.style));
    },
    bug: (error) => terminal.err(bugText(error, verbose)),
    notice: (text) => terminal.err(printable(text)),
    stopping: () => terminal.err('Stopping. Requests that are being answered may finish…'),
    end: () => terminal.out(describeTally(tally.total)),
  };
}

/** For programs: one JSON object per line, the first of them `started`, the last `stopped`. */
export function jsonReporter(terminal: Terminal): ServeReporter {
  const tally = createTally();
  const print = (line: object) => terminal.out(JSON.stringify(line));
  return {
    begin: ({ backend: { known, wire, model }, url }) =>
      print({
        type: 'started',
        url,
        page: `${url}/forge/`,
        backend: { ...known, url: publicUrl(known.url), wire, model },
      }),
    request: (event) => {
      tally.add(event);
      print({ type: 'request', ...event });
    },
    bug: (error) => terminal.err(bugText(error, true)),
    notice: (text) => terminal.err(printable(text)),
    stopping: () => {},
    end: () => print({ type: 'stopped', ...tally.total }),
  };
}

function bugText(error: unknown, verbose: boolean): string {
  const what = verbose ? inspect(error) : error instanceof Error ? error.message : String(error);
  return `forge: a bug in the proxy, please report it: ${what}`;
}
