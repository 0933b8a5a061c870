/** The body of the page at `/forge/`: places that the script fills. */
export const pageMarkup = `
<header>
  <h1>Forge proxy</h1>
  <span class="state" id="state" role="status">connecting</span>
  <div class="facts" id="facts"></div>
</header>
<main>
  <form class="card key" id="key" hidden>
    <strong>This proxy has a key</strong>
    <p>Enter it to see what the proxy is doing. It stays in this tab and is gone when you close it.</p>
    <div>
      <input id="secret" type="password" autocomplete="off" aria-label="API key" required>
      <button>Show</button>
    </div>
  </form>
  <div class="card welcome" id="welcome" hidden>
    <strong>Ready. Nothing has come through yet.</strong>
    <p>Point a client at this address and use it as before. What had to be rescued, repaired or asked again will show up here.</p>
    <div id="lines"></div>
  </div>
  <div id="live" hidden>
    <div class="hero">
      <p id="headline"></p>
      <div>
        <svg class="spark" id="spark" viewBox="0 0 120 40" preserveAspectRatio="none" aria-hidden="true">
          <path class="area"></path><path class="trace"></path>
        </svg>
        <div class="caption"><span id="span"></span><span id="rate"></span></div>
      </div>
    </div>
    <div class="tiles" id="tiles"></div>
    <section class="card"><h2>Models</h2><div class="scroll" id="models"></div></section>
    <div class="three">
      <section class="card"><h2>Formats calls were found in</h2><div id="formats"></div></section>
      <section class="card"><h2>What was mended</h2><div id="mended"></div></section>
      <section class="card"><h2>What was wrong</h2><div id="problems"></div></section>
    </div>
    <section class="card" id="rungs-card" hidden><h2>Replies, by how they were asked for</h2><div class="scroll" id="rungs"></div></section>
    <section class="card" id="lessons-card" hidden><h2>Learned about each model</h2><div class="scroll" id="lessons"></div></section>
    <section class="card"><h2>Of late</h2><div class="scroll" id="recent"></div></section>
  </div>
</main>
`;
