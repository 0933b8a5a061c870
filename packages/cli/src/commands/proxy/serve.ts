import { once } from 'node:events';
import { createProxy, type ProxyOptions, type RunningProxy, serveWorkers } from '@forge/proxy';
import type { CommandContext } from '../../context.ts';
import { type OpenBackend, openBackend } from './open-backend.ts';
import { toProxyOptions } from './proxy-options.ts';
import { jsonReporter, linesReporter, type ServeReporter } from './serve-reporter.ts';
import type { ProxySettings } from './settings.ts';
import { warningsFor } from './warnings.ts';

/** Runs the proxy until it is told to stop, then lets requests finish and says what there was. */
export async function serve(
  settings: ProxySettings,
  {
    context,
    verbose,
    json,
  }: { readonly context: CommandContext; readonly verbose: boolean; readonly json: boolean },
): Promise<void> {
  const { signal, config } = context;
  const terminal = context.terminal();
  const reporter = json ? jsonReporter(terminal) : linesReporter(terminal, { verbose });
  const backend = await openBackend(settings, {
    signal,
    addresses: config.backendAddresses,
    onStarting: ({ kind, model }) => terminal.err(`Starting ${kind} with ${model}…`),
  });
  try {
    await serveBackend(settings, { backend, context, reporter });
  } finally {
    // One that ran before us may have other users.
    if (backend.started !== undefined && !backend.started.reused) await backend.started.stop();
  }
}

async function serveBackend(
  settings: ProxySettings,
  {
    backend,
    context,
    reporter,
  }: {
    readonly backend: OpenBackend;
    readonly context: CommandContext;
    readonly reporter: ServeReporter;
  },
) {
  const { signal } = context;
  const { request: onEvent, bug: onBug, notice: onNotice } = reporter;
  const options = { ...toProxyOptions(settings, backend), onEvent, onBug, onNotice };
  const proxy = await listen(options, settings.workers);
  try {
    context.endsWellWhenStopped();
    const { serialize } = options;
    reporter.begin({ settings: { ...settings, serialize }, backend, url: proxy.url });
    for (const warning of warningsFor(settings, backend)) context.terminal().err(warning);
    if (!signal.aborted) await once(signal, 'abort');
    reporter.stopping();
  } finally {
    await proxy.close();
  }
  reporter.end();
}

/** In this process, or in several that share the port. */
function listen(options: ProxyOptions, workers: number): Promise<RunningProxy> {
  return workers === 1 ? createProxy(options) : serveWorkers({ workers, options });
}
