import type { RunEvent } from '@forge/core';

export interface ToolUse {
  readonly name: string;
  readonly calls: number;
  readonly averageMs: number;
}

/** What a coding agent did, from its events. */
export interface AgentSummary {
  readonly model: string | undefined;
  /** Most used first. */
  readonly tools: readonly ToolUse[];
  /** Written or edited without an error, each once, in the order of the first time. */
  readonly files: readonly string[];
}

const changesFiles: ReadonlySet<string> = new Set(['write', 'edit', 'write_file', 'edit_file']);

/** Folds the events of a run, or of several. */
export class SummaryFold {
  readonly #begun = new Map<string, { readonly at: number; readonly path: string | undefined }>();
  readonly #tools = new Map<string, { calls: number; total: number }>();
  readonly #files = new Set<string>();
  #model: string | undefined;

  add(event: RunEvent): void {
    switch (event.type) {
      case 'model.requested':
      case 'model.replied':
        this.#model = event.model ?? this.#model;
        return;
      case 'tool.started': {
        const { path } = event.args;
        const known = typeof path === 'string' ? path : undefined;
        this.#begun.set(`${event.runId}:${event.callId}`, { at: event.at, path: known });
        return;
      }
      case 'tool.finished': {
        const key = `${event.runId}:${event.callId}`;
        const begun = this.#begun.get(key);
        if (begun === undefined) return; // It was denied or skipped: it never ran.
        this.#begun.delete(key);
        const use = this.#tools.get(event.name) ?? { calls: 0, total: 0 };
        use.calls += 1;
        use.total += event.at - begun.at;
        this.#tools.set(event.name, use);
        const isChange = changesFiles.has(event.name) && event.outcome === 'ok';
        if (isChange && begun.path !== undefined) this.#files.add(begun.path);
        return;
      }
      default:
    }
  }

  get summary(): AgentSummary {
    const tools = [...this.#tools].map(([name, { calls, total }]) => ({
      name,
      calls,
      averageMs: Math.round(total / calls),
    }));
    tools.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
    return { model: this.#model, tools, files: [...this.#files] };
  }
}
