import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];

/**
 * A reporter for `node --test`: failures in full, with where they are, and one line at the end.
 * What passes is only counted.
 */
export async function* conciseReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let skipped = 0;
  let milliseconds = 0;
  const failures: Failed[] = [];
  for await (const event of source) {
    switch (event.type) {
      case 'test:pass':
        if (event.data.details.type === 'suite') break;
        if (event.data.skip !== undefined || event.data.todo !== undefined) skipped += 1;
        else passed += 1;
        break;
      case 'test:fail':
        if (isOwnFailure(event.data)) {
          failures.push(event.data);
          yield describeFailure(event.data);
        }
        break;
      case 'test:stderr':
      case 'test:stdout':
        yield event.data.message;
        break;
      case 'test:summary':
        if (event.data.file === undefined) milliseconds = event.data.duration_ms;
        break;
      default:
        break;
    }
  }
  const skips = skipped > 0 ? `, ${skipped} skipped` : '';
  const seconds = (milliseconds / 1000).toFixed(1);
  yield `${passed} passed, ${failures.length} failed${skips} in ${seconds} s\n`;
  for (const failure of failures) yield `  failed: ${placeOf(failure)}  ${failure.name}\n`;
}

/** A suite or a file fails because of what is in it; only the innermost is worth a line. */
function isOwnFailure({ details }: Failed): boolean {
  return !('failureType' in details.error && details.error.failureType === 'subtestsFailed');
}

function placeOf({ file, line }: Failed): string {
  if (file === undefined) return 'unknown file';
  const path = relative(process.cwd(), file);
  return line === undefined ? path : `${path}:${line}`;
}

function describeFailure(failure: Failed): string {
  const { error } = failure.details;
  const cause = error.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
  const indented = text.replaceAll(/^/gm, '    ');
  return `\nFAIL  ${failure.name}\n      ${placeOf(failure)}\n${indented}\n\n`;
}

// biome-ignore lint/style/noDefaultExport: node --test takes a reporter as the default export.
export default conciseReporter;
