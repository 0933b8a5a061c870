import { type JsonObject, type RunEvent, textOf } from '@forge/core';
import type { EventLine } from './run-folder.ts';

interface OpenCall {
  readonly args: JsonObject;
  readonly at: number;
}

/** What the files say of a run that its row does not: read off the log, event by event. */
export class RunDigest {
  task = '';
  turns = 0;
  llmCalls = 0;
  toolInvocations = 0;
  readonly #running = new Map<string, OpenCall>();

  /** The line of an event. */
  add(event: RunEvent): EventLine {
    const line: EventLine = { ...event, timestamp: new Date(event.at).toISOString() };
    switch (event.type) {
      case 'run.started':
        this.task ||= event.input.map(textOf).join('\n');
        return line;
      case 'model.requested':
        this.turns += 1;
        return line;
      case 'model.replied':
        this.llmCalls += 1;
        return line;
      case 'tool.started':
        this.#running.set(event.callId, { args: event.args, at: event.at });
        return line;
      case 'tool.finished':
        this.toolInvocations += 1;
        return { ...line, ...this.#invocation(event) };
      default:
        return line;
    }
  }

  #invocation(event: RunEvent & { type: 'tool.finished' }): Partial<EventLine> {
    const call = this.#running.get(event.callId);
    this.#running.delete(event.callId);
    const output = textOf(event);
    const failed = event.outcome !== 'ok' && event.outcome !== 'not_found';
    const duration = call === undefined ? 0 : event.at - call.at;
    return {
      tool_name: event.name,
      arguments: call?.args ?? {},
      result: {
        output: failed ? '' : output,
        error: failed ? output : null,
        exit_code: failed ? 1 : 0,
        execution_time_ms: duration,
      },
      iteration: this.turns,
      duration_ms: duration,
    };
  }
}
