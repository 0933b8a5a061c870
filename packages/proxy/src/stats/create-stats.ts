import type { ProxyEvent } from '../proxy-event.ts';
import type { Stats } from '../shared-state.ts';
import { addTallies } from './add-tallies.ts';
import { metricsText } from './metrics-text.ts';
import { ModelCounts, tookBounds } from './model-counts.ts';
import { RecentEvents } from './recent-events.ts';
import type { UsageReport } from './usage-report.ts';

const mostModels = 200;
const longestModel = 200;
const other = 'other';

/**
 * Counts what becomes of requests. `record` is on the way of every request and only counts;
 * adding up is for whoever asks.
 *
 * `inFlight` tells of requests that are under way elsewhere, beside those of `begin`.
 */
export function createStats({
  now,
  inFlight = () => 0,
}: {
  now: () => number;
  inFlight?: () => number;
}): Stats {
  const startedAt = now();
  const models = new Map<string, ModelCounts>();
  const recent = new RecentEvents();
  let begun = 0;

  const countsOf = (model: string): ModelCounts => {
    const known = models.get(model);
    if (known !== undefined) return known;
    const name = model.slice(0, longestModel);
    const key = models.has(name) || models.size < mostModels ? name : other;
    const counts = models.get(key) ?? new ModelCounts();
    models.set(key, counts);
    return counts;
  };
  const running = () => begun + inFlight();

  return {
    begin() {
      begun += 1;
    },
    record(event: ProxyEvent) {
      if (begun > 0) begun -= 1;
      countsOf(event.model ?? '').add(event);
      if (event.outcome !== 'clean') recent.add(event);
    },
    async report(): Promise<UsageReport> {
      const tallies = [...models].map(([model, counts]) => [model, counts.tally()] as const);
      return {
        v: 1,
        startedAt,
        uptime: Math.max(0, now() - startedAt),
        inFlight: running(),
        tookBounds,
        total: addTallies(tallies.map(([, tally]) => tally)),
        models: Object.fromEntries(tallies.map(([model, tally]) => [model || '(none)', tally])),
        recent: recent.list(),
      };
    },
    metrics: async () => metricsText({ models, startedAt, inFlight: running() }),
  };
}
