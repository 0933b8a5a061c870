/** Of the page at `/forge/`. Two palettes, one set of names; no colour stands without its word. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #f7f6f3; --card: #ffffff; --line: #e6e3dc; --ink: #23211d; --soft: #6d6960;
  --clean: #5c8f6b; --rescued: #3f7cac; --repaired: #7a68ae; --retried: #b5812f;
  --exhausted: #bf5540; --failed: #8c3a3a; --passed: #b9b4a8; --track: #efece5; --glow: #5c8f6b22;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16171a; --card: #1e2024; --line: #2d3036; --ink: #e8e6e1; --soft: #9b988f;
    --clean: #79b189; --rescued: #6aa7d8; --repaired: #a593dc; --retried: #d9a653;
    --exhausted: #e07a63; --failed: #c96464; --passed: #5b5d63; --track: #292c31; --glow: #79b18922;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  background: var(--ground); color: var(--ink); padding: 28px 20px 64px;
  font: 15px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header { max-width: 1080px; margin: 0 auto; }
[hidden] { display: none !important; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; margin-bottom: 26px; }
h1 { font-size: 17px; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 13px; font-weight: 600; color: var(--soft); margin-bottom: 14px; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 18px; color: var(--soft); font-size: 13px; margin-left: auto; }
.facts b { color: var(--ink); font-weight: 500; overflow-wrap: anywhere; }
.state { display: inline-flex; align-items: center; gap: 7px; font-size: 13px; color: var(--soft); }
.state::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--passed); }
.state.live::before { background: var(--clean); box-shadow: 0 0 0 4px var(--glow); }
.state.lost::before { background: var(--exhausted); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 20px 22px; min-width: 0; }
.hero { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 320px); gap: 12px 40px; align-items: end; margin-bottom: 16px; }
.hero p { font-size: 27px; line-height: 1.25; letter-spacing: -.02em; font-weight: 600; text-wrap: balance; }
.hero small { display: block; font-size: 14px; font-weight: 400; letter-spacing: 0; color: var(--soft); margin-top: 6px; }
.spark { width: 100%; height: 56px; display: block; overflow: visible; }
.spark .area { fill: var(--glow); }
.spark .trace { fill: none; stroke: var(--clean); stroke-width: 1.5; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.caption { display: flex; justify-content: space-between; font-size: 12px; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 12px; margin-bottom: 12px; }
.tile { padding: 14px 16px; }
.tile b { display: block; font-size: 23px; font-weight: 600; letter-spacing: -.02em; }
.tile span { font-size: 12.5px; color: var(--soft); display: flex; align-items: center; gap: 6px; }
.dot { width: 8px; height: 8px; border-radius: 3px; flex: none; background: var(--passed); }
.stack { display: flex; gap: 2px; height: 8px; border-radius: 4px; overflow: hidden; background: var(--track); }
.stack i { min-width: 2px; }
.clean { background: var(--clean); } .rescued { background: var(--rescued); }
.repaired { background: var(--repaired); } .retried { background: var(--retried); }
.exhausted { background: var(--exhausted); } .failed, .refused { background: var(--failed); }
.passed, .cancelled { background: var(--passed); }
section { margin-bottom: 12px; }
.three { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 12px; margin-bottom: 12px; }
.three section { margin: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 500; font-size: 12.5px; color: var(--soft); padding: 0 14px 8px 0; white-space: nowrap; }
td { padding: 9px 14px 9px 0; border-top: 1px solid var(--line); vertical-align: middle; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
.name { max-width: 250px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 500; }
.wide { width: 30%; min-width: 120px; }
.bars { list-style: none; padding: 0; display: grid; gap: 10px; }
.bars div { display: flex; justify-content: space-between; gap: 12px; font-size: 13.5px; margin-bottom: 4px; }
.bars div span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars .track { height: 4px; border-radius: 2px; background: var(--track); display: block; margin: 0; }
.bars .track i { display: block; height: 4px; border-radius: 2px; }
.bars b, .soft { color: var(--soft); font-weight: 400; }
.chip { display: inline-flex; align-items: center; gap: 7px; white-space: nowrap; }
.none { color: var(--soft); font-size: 13.5px; }
.welcome { padding: 44px 40px; }
.welcome p { color: var(--soft); max-width: 60ch; margin: 6px 0 22px; }
.welcome strong { font-size: 22px; letter-spacing: -.02em; }
.line { display: grid; grid-template-columns: 170px minmax(0, 1fr) auto; gap: 6px 14px; align-items: center; padding: 9px 0; border-top: 1px solid var(--line); }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
button, input { font: inherit; font-size: 13px; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; padding: 5px 12px; }
button { cursor: pointer; } button:hover { border-color: var(--soft); }
:focus-visible { outline: 2px solid var(--rescued); outline-offset: 2px; }
.key { max-width: 420px; margin: 12vh auto 0; } .key p { color: var(--soft); margin: 4px 0 16px; }
.key div { display: flex; gap: 8px; } .key input { flex: 1; min-width: 0; padding: 8px 12px; }
@media (max-width: 820px) {
  body { padding: 20px 14px 48px; }
  .hero { grid-template-columns: minmax(0, 1fr); } .hero p { font-size: 22px; }
  .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px; }
  .three { grid-template-columns: minmax(0, 1fr); }
  .facts { margin-left: 0; } .card { padding: 16px; } .tile { padding: 12px; }
  .tile b { font-size: 20px; } .welcome { padding: 26px 20px; }
  .line { grid-template-columns: minmax(0, 1fr) auto; } .line span { grid-column: 1 / -1; }
  #models th:nth-child(n + 5), #models td:nth-child(n + 5) { display: none; }
  #models .name { max-width: 27vw; } #models .wide { min-width: 56px; } #models :is(th, td) { padding-right: 10px; }
  #recent thead { display: none; }
  #recent tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 14px; padding: 10px 0; border-top: 1px solid var(--line); }
  #recent tr:first-child { border: 0; padding-top: 0; }
  #recent td { border: 0; padding: 0; }
  #recent td:nth-child(1) { order: 4; text-align: right; font-size: 13px; }
  #recent td:nth-child(2) { order: 1; } #recent td:nth-child(3) { order: 2; }
  #recent td:nth-child(4) { order: 3; font-size: 13px; color: var(--soft); }
  #recent td:nth-child(5) { display: none; }
}
`;
