import { outcomes, rungs, statusClasses, wires } from './labels.ts';
import { type ModelCounts, tookBounds } from './model-counts.ts';

type Labels = Readonly<Record<string, string>>;

/** Lines of one metric. Nothing is written of a metric that has no sample. */
class Metric {
  readonly #head: string;
  readonly #name: string;
  readonly #lines: string[] = [];

  constructor(name: string, type: 'counter' | 'gauge' | 'histogram', help: string) {
    this.#name = name;
    this.#head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  }

  add(value: number, labels: Labels = {}, suffix = ''): void {
    const pairs = Object.entries(labels).map(([key, label]) => `${key}="${escapeLabel(label)}"`);
    const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
    this.#lines.push(`${this.#name}${suffix}${braces} ${value}\n`);
  }

  text(): string {
    return this.#lines.length === 0 ? '' : this.#head + this.#lines.join('');
  }
}

/** Prometheus text, version 0.0.4. Series that are zero are left out, as no model uses all. */
export function metricsText({
  models,
  startedAt,
  inFlight,
}: {
  models: ReadonlyMap<string, ModelCounts>;
  startedAt: number;
  inFlight: number;
}): string {
  const started = new Metric(
    'forge_proxy_start_time_seconds',
    'gauge',
    'When the proxy started, in seconds since 1970.',
  );
  started.add(startedAt / 1_000);
  const running = new Metric('forge_proxy_in_flight', 'gauge', 'Requests that are not over.');
  running.add(inFlight);
  const all = [started, running, ...ofModels(models)];
  return all.map((metric) => metric.text()).join('');
}

function ofModels(models: ReadonlyMap<string, ModelCounts>): Metric[] {
  const requests = counter('requests', 'Requests that are over.');
  const responses = counter('responses', 'Answers to clients, by the class of their status.');
  const streams = counter('streams', 'Requests answered as a stream.');
  const attempts = counter('attempts', 'Replies asked of the model, by how they were asked for.');
  const won = counter('attempts_won', 'Replies that were taken, by how they were asked for.');
  const retried = counter('retried', 'Requests that needed more than one reply, by how it ended.');
  const rescued = counter('rescued', 'Replies whose calls were found in text, by format.');
  const mended = counter('mended', 'Things mended without asking again.');
  const problems = counter('problems', 'What was wrong with refused replies.');
  const errors = counter('backend_errors', 'Requests the backend gave no reply to.');
  const tokens = counter('tokens', 'Tokens of all replies, as the backend counts them.');
  const took = new Metric(
    'forge_proxy_request_duration_seconds',
    'histogram',
    'How long requests took.',
  );
  for (const [model, counts] of models) {
    forEachCount(counts.requests, (count, at) => {
      const wire = wires[Math.trunc(at / outcomes.length)] ?? 'none';
      const outcome = outcomes[at % outcomes.length] ?? 'none';
      requests.add(count, { model, wire, outcome });
    });
    forEachCount(counts.statuses, (count, at) =>
      responses.add(count, { model, status: statusClasses[at] ?? 'none' }),
    );
    forEachCount(counts.tries, (count, at) =>
      attempts.add(count, { model, rung: rungs[at] ?? 'none' }),
    );
    forEachCount(counts.wins, (count, at) => won.add(count, { model, rung: rungs[at] ?? 'none' }));
    if (counts.streams > 0) streams.add(counts.streams, { model });
    if (counts.retriesWon > 0) retried.add(counts.retriesWon, { model, result: 'won' });
    if (counts.retriesLost > 0) retried.add(counts.retriesLost, { model, result: 'lost' });
    for (const [format, count] of counts.formats) rescued.add(count, { model, format });
    for (const [kind, count] of counts.mended) mended.add(count, { model, kind });
    for (const [kind, count] of counts.problems) problems.add(count, { model, kind });
    for (const [kind, count] of counts.errors) errors.add(count, { model, kind });
    if (counts.inputTokens > 0) tokens.add(counts.inputTokens, { model, direction: 'input' });
    if (counts.outputTokens > 0) tokens.add(counts.outputTokens, { model, direction: 'output' });
    addHistogram(took, model, counts);
  }
  return [
    ...[requests, responses, streams, attempts, won, retried, rescued, mended, problems, errors],
    ...[tokens, took],
  ];
}

function counter(name: string, help: string): Metric {
  return new Metric(`forge_proxy_${name}_total`, 'counter', help);
}

function addHistogram(metric: Metric, model: string, counts: ModelCounts): void {
  let below = 0;
  counts.took.forEach((count, at) => {
    below += count;
    const bound = tookBounds[at];
    const le = bound === undefined ? '+Inf' : String(bound / 1_000);
    metric.add(below, { model, le }, '_bucket');
  });
  metric.add(counts.tookSum / 1_000, { model }, '_sum');
  metric.add(below, { model }, '_count');
}

function forEachCount(counts: Float64Array, add: (count: number, at: number) => void): void {
  counts.forEach((count, at) => {
    if (count > 0) add(count, at);
  });
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
