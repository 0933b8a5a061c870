/** Asks for a report every second while somebody looks. Plain JavaScript, after the views. */
export const pageLive = `
const every = 1000;
const remembered = 120;
const rates = [];
let before;
let key = '';
let timer;
let asking = false;

/** Requests that ended in each second. What a proxy that was started anew counts is not compared. */
function noteRate(report) {
  const now = { at: report.startedAt + report.uptime, requests: report.total.requests, startedAt: report.startedAt };
  if (before && before.startedAt === now.startedAt && now.at > before.at) {
    rates.push((1000 * (now.requests - before.requests)) / (now.at - before.at));
    if (rates.length > remembered) rates.shift();
  }
  before = now;
}

/** The newest at the right; half a minute wide at first, then as long as is remembered. */
function showSpark() {
  const most = Math.max(1, ...rates);
  const width = Math.max(30, rates.length - 1);
  const x = (at) => (120 * (width - rates.length + 1 + at)) / width;
  const points = rates.map((rate, at) => x(at).toFixed(1) + ' ' + (39 - (37 * rate) / most).toFixed(1));
  const [area, trace] = place('spark').children;
  trace.setAttribute('d', points.length > 1 ? 'M' + points.join('L') : '');
  area.setAttribute('d', points.length > 1 ? 'M' + x(0).toFixed(1) + ' 40L' + points.join('L') + 'L120 40Z' : '');
  const rate = rates.at(-1) ?? 0;
  place('span').textContent = 'last ' + width + ' seconds';
  place('rate').textContent = (rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)) + ' requests/s';
}

function showReport(report) {
  const isEmpty = report.total.requests === 0;
  place('key').hidden = true;
  place('welcome').hidden = !isEmpty;
  place('live').hidden = isEmpty;
  showFacts(report);
  if (isEmpty) return;
  noteRate(report);
  showHeadline(report.total);
  showSpark();
  showTiles(report.total);
  showModels(report.models);
  showBars('formats', report.total.formats, 'rescued', 'No call had to be found in text.');
  showBars('mended', report.total.mended, 'repaired', 'Nothing had to be mended.');
  showBars('problems', report.total.problems, 'retried', 'No reply was refused.');
  showRungs(report.total.rungs);
  showLessons(report.lessons);
  showRecent(report.recent);
}

function showState(text, kind) {
  place('state').textContent = text;
  place('state').className = 'state ' + kind;
}

function askForKey() {
  showState(key ? 'that key was refused' : 'locked', 'lost');
  place('key').hidden = false;
  place('welcome').hidden = true;
  place('live').hidden = true;
}

async function ask() {
  if (asking) return;
  asking = true;
  clearTimeout(timer);
  let next = every;
  try {
    const headers = key ? { authorization: 'Bearer ' + key } : {};
    const answer = await fetch('/forge/usage', { headers, cache: 'no-store', signal: AbortSignal.timeout(5000) });
    if (answer.status === 401 || answer.status === 403) {
      askForKey();
      next = 0;
    } else {
      if (!answer.ok) throw new Error('status ' + answer.status);
      showReport(await answer.json());
      showState('live', 'live');
    }
  } catch {
    showState('not reachable, trying again', 'lost');
    next = 3 * every;
  }
  asking = false;
  if (next > 0 && document.visibilityState === 'visible') timer = setTimeout(ask, next);
}

function showWelcome() {
  const { origin } = location;
  const lines = [
    ['OpenAI clients', 'OPENAI_BASE_URL=' + origin + '/v1'],
    ['Claude Code', 'ANTHROPIC_BASE_URL=' + origin],
    ['Ask it once', 'curl ' + origin + '/v1/models'],
  ];
  place('lines').replaceChildren(...lines.map(([name, line]) => {
    const copy = make('button', '', 'copy');
    copy.type = 'button';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(line);
      copy.textContent = 'copied';
      setTimeout(() => { copy.textContent = 'copy'; }, 1500);
    });
    return make('div', 'line', make('span', 'soft', name), make('code', '', line), ...(navigator.clipboard ? [copy] : []));
  }));
}

place('key').addEventListener('submit', (event) => {
  event.preventDefault();
  key = place('secret').value.trim();
  place('secret').value = '';
  ask();
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') ask();
  else clearTimeout(timer);
});
showWelcome();
ask();
`;
