/**
 * How the page shows a report. Plain JavaScript for the browser. Whatever came from outside is put
 * in as text, never as markup.
 */
export const pageViews = `
const place = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const guarded = ['clean', 'rescued', 'repaired', 'retried', 'exhausted', 'failed'];

function make(tag, className, ...content) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

/** Rebuilds a place only when what it shows is another, so that selections and scrolling last. */
const shown = new Map();
function show(id, what, build) {
  const key = JSON.stringify(what);
  if (shown.get(id) === key) return;
  shown.set(id, key);
  place(id).replaceChildren(...build());
}

const words = (name) => name.replaceAll('_', ' ');
const sumOf = (counts, names) => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
const share = (part, all) => (all === 0 ? '–' : Math.floor((1000 * part) / all) / 10 + ' %');

function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return seconds + ' s';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? hours + ' h ' + (minutes % 60) + ' min' : Math.floor(hours / 24) + ' days';
}

const took = (ms) => (ms < 1000 ? Math.round(ms) + ' ms' : (ms / 1000).toFixed(1) + ' s');

function showFacts(report) {
  const facts = [['up', duration(report.uptime)], ['under way', whole.format(report.inFlight)]];
  if (report.backend) facts.unshift(['backend', report.backend]);
  show('facts', facts, () => facts.map(([name, value]) => make('span', '', name + ' ', make('b', '', value))));
}

function showHeadline(total) {
  const saved = sumOf(total.outcomes, ['rescued', 'repaired', 'retried']);
  const all = sumOf(total.outcomes, guarded);
  const line = saved === 0
    ? (all === 0 ? 'Nothing to guard so far.' : 'Every reply was right as it came.')
    : whole.format(saved) + (saved === 1 ? ' reply was set right before a client saw it.' : ' replies were set right before a client saw them.');
  const tokens = short.format(total.tokens.input) + ' tokens in, ' + short.format(total.tokens.output) + ' out';
  const under = whole.format(all) + ' guarded of ' + whole.format(total.requests) + ' requests · ' + tokens;
  show('headline', [line, under], () => [line, make('small', '', under)]);
}

function showTiles(total) {
  const { outcomes, requests, retries } = total;
  const all = sumOf(outcomes, guarded);
  const tiles = [
    ['', whole.format(requests), 'requests'],
    ['clean', share(outcomes.clean, all), 'clean'],
    ['rescued', whole.format(outcomes.rescued), 'rescued'],
    ['repaired', whole.format(outcomes.repaired), 'repaired'],
    ['retried', whole.format(retries.won), 'retried and won'],
    ['exhausted', whole.format(outcomes.exhausted), 'exhausted'],
  ];
  show('tiles', tiles, () => tiles.map(([kind, value, name]) => make('div', 'card tile',
    make('b', '', value),
    make('span', '', ...(kind ? [make('i', 'dot ' + kind)] : []), name))));
}

function stack(outcomes) {
  const kinds = [...guarded, 'passed', 'refused', 'cancelled'].filter((kind) => outcomes[kind] > 0);
  const bar = make('div', 'stack', ...kinds.map((kind) => {
    const part = make('i', kind);
    part.style.flexGrow = String(outcomes[kind]);
    return part;
  }));
  bar.title = kinds.map((kind) => whole.format(outcomes[kind]) + ' ' + kind).join(', ');
  return bar;
}

function table(heads, rows) {
  const cell = (tag, content, kind) => make(tag, kind || '', content);
  const head = make('tr', '', ...heads.map(([name, kind]) => cell('th', name, kind)));
  const body = rows.map((row) => make('tr', '', ...row.map((content, at) => cell('td', content, heads[at][1]))));
  return make('table', '', make('thead', '', head), make('tbody', '', ...body));
}

function named(text) {
  const node = make('div', 'name', text);
  node.title = text;
  return node;
}

function showModels(models) {
  const rows = Object.entries(models).sort(([, a], [, b]) => b.requests - a.requests).slice(0, 50);
  show('models', rows, () => [table(
    [['model', ''], ['requests', 'number'], ['outcomes', 'wide'], ['clean', 'number'], ['rescued', 'number'],
      ['repaired', 'number'], ['retried', 'number'], ['exhausted', 'number'], ['average', 'number']],
    rows.map(([model, tally]) => [
      named(model), whole.format(tally.requests), stack(tally.outcomes),
      share(tally.outcomes.clean, sumOf(tally.outcomes, guarded)),
      whole.format(tally.outcomes.rescued), whole.format(tally.outcomes.repaired), whole.format(tally.retries.won),
      whole.format(tally.outcomes.exhausted), took(tally.took.sum / Math.max(1, tally.requests)),
    ]))]);
}

function showBars(id, counts, kind, none) {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a).slice(0, 8);
  const most = rows.length === 0 ? 1 : rows[0][1];
  show(id, rows, () => rows.length === 0 ? [make('p', 'none', none)] : [make('ul', 'bars', ...rows.map(([name, count]) => {
    const bar = make('i', kind);
    bar.style.width = (100 * count) / most + '%';
    return make('li', '', make('div', '', make('span', '', words(name)), make('b', '', whole.format(count))), make('div', 'track', bar));
  }))]);
}

function showRungs(rungs) {
  const names = { native: 'as the client asked', prompt: 'tools in the prompt', nudged: 'told what was wrong', constrained: 'held to the schema' };
  const rows = Object.entries(names).map(([rung, name]) => [name, rungs[rung]]).filter(([, { tries }]) => tries > 0);
  place('rungs-card').hidden = rows.length < 2;
  show('rungs', rows, () => [table([['asked', ''], ['replies', 'number'], ['taken', 'number'], ['share', 'number']],
    rows.map(([name, { tries, wins }]) => [name, whole.format(tries), whole.format(wins), share(wins, tries)]))]);
}

function showLessons(lessons) {
  const rows = Object.entries(lessons ?? {}).sort(([, a], [, b]) => b.at - a.at).slice(0, 20);
  place('lessons-card').hidden = rows.length === 0;
  const trial = (one) => (one ? share(one.wins, one.tries) + ' of ' + one.tries : '–');
  const best = (counts) => Object.entries(counts).sort(([, a], [, b]) => b - a)[0]?.[0] ?? '–';
  show('lessons', rows, () => [table(
    [['model', ''], ['native', 'number'], ['prompt', 'number'], ['nudged', 'number'], ['constrained', 'number'], ['writes calls as', 'number']],
    rows.map(([model, lesson]) => [named(model), trial(lesson.modes.native), trial(lesson.modes.prompt),
      trial(lesson.rungs.nudged), trial(lesson.rungs.constrained), words(best(lesson.formats))]))]);
}

/** One attempt in words: how it was asked for, and what came of it. */
function story({ rung, problems, format, mended }) {
  const asked = { native: '', prompt: 'with tools in the prompt: ', nudged: 'asked again: ', constrained: 'held to the schema: ' }[rung];
  const facts = problems.map(words);
  if (facts.length === 0) {
    if (format) facts.push('found as ' + words(format));
    if (mended.length > 0) facts.push('mended ' + mended.map(words).join(', '));
    if (facts.length === 0) facts.push('right');
  }
  return asked + facts.join(', ');
}

function showRecent(recent) {
  const rows = recent.slice(0, 25);
  show('recent', rows, () => rows.length === 0 ? [make('p', 'none', 'Nothing had to be mended so far.')] : [table(
    [['time', ''], ['model', ''], ['outcome', ''], ['what happened', ''], ['took', 'number']],
    rows.map((one) => [
      make('span', 'soft', clock.format(one.at)), named(one.model || '–'),
      make('span', 'chip', make('i', 'dot ' + one.outcome), one.outcome),
      [...one.attempts.map(story), ...(one.error ? [words(one.error) + ' (' + one.status + ')'] : [])].join(' → ') || '–',
      took(one.took),
    ]))]);
}
`;
