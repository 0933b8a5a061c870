import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serveProtected } from '../testing/authorization-server.ts';
import { call, openHub, soon, temporaryFolder, textOf, until } from '../testing/open-hub.ts';
import { startCallbackServer } from './callback-server.ts';
import { secureFetch } from './secure-fetch.ts';

/** A person in front of a browser who agrees to everything. */
const browse = async (url: string) => {
  const response = await fetch(url);
  await response.text();
};

describe('a server that wants a login', () => {
  it('says so, is logged in to by a person, and works from then on, also after a restart', async (test) => {
    const server = await serveProtected(test);
    const folder = temporaryFolder(test);
    const servers = { p: { url: server.url } };
    const hub = await openHub(test, { folder, servers });
    await hub.ready(soon());
    const [status] = hub.servers();
    assert.equal(status?.state, 'failed');
    assert.equal(status.loginRequired, true);
    assert.match(status.error ?? '', /Run: forge mcp login p/);
    assert.equal(status.retryAt, undefined, 'trying again would not help');
    assert.equal(server.registrations.length, 0, 'nothing is registered without a person');

    await hub.login('p', { open: browse, signal: soon() });
    await until(hub, () => hub.tools().length > 0);
    assert.match(textOf(await call(hub, 'p__echo')), /in session/);
    const file = join(folder, 'mcp-tokens.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'utf8'), /access-/);
    assert.ok(!JSON.stringify([hub.servers(), hub.log('p')]).includes('access-'));
    await hub.close();

    const later = await openHub(test, { folder, servers });
    await later.ready(soon());
    assert.equal(later.servers()[0]?.state, 'connected');
    await later.login('p', { open: browse, signal: soon() });
    assert.equal(server.registrations.length, 1, 'the registration is kept');
  });

  it('gets fresh tokens before the old ones expire, once for all callers', async (test) => {
    const server = await serveProtected(test);
    let time = 1_000_000;
    const hub = await openHub(test, { servers: { p: { url: server.url } }, now: () => time });
    await hub.login('p', { open: browse, signal: soon() });
    await until(hub, () => hub.tools().length > 0);
    time += 3_600_000 - 59_000;
    await Promise.all([1, 2, 3].map(() => call(hub, 'p__echo')));
    assert.deepEqual(server.grants, ['authorization_code', 'refresh_token']);
  });

  it('gets fresh tokens when it stops to accept the old ones', async (test) => {
    const server = await serveProtected(test);
    const hub = await openHub(test, { servers: { p: { url: server.url } } });
    await hub.login('p', { open: browse, signal: soon() });
    await until(hub, () => hub.tools().length > 0);
    server.good.clear();
    assert.match(textOf(await call(hub, 'p__echo')), /in session/);
    server.good.clear();
    server.refreshTokens.clear();
    await assert.rejects(call(hub, 'p__echo'), /forge mcp login p/);
    assert.equal(hub.servers()[0]?.loginRequired, true);
  });

  it('lets a program log itself in', async (test) => {
    const server = await serveProtected(test);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to it.
    const oauth = { grant: 'client_credentials', clientId: 'robot', clientSecret: '${env:SECRET}' };
    let time = 1_000_000;
    const hub = await openHub(test, {
      servers: { p: { url: server.url, oauth } },
      readVariable: (name) => (name === 'SECRET' ? 'robot-secret' : undefined),
      now: () => time,
    });
    await hub.ready(soon());
    assert.equal(hub.servers()[0]?.state, 'connected');
    time += 3_600_000;
    await call(hub, 'p__echo');
    assert.deepEqual(server.grants, ['client_credentials', 'client_credentials']);
    assert.ok(!JSON.stringify(hub.servers()).includes('robot-secret'));
  });

  it('may refuse a person, and be left again', async (test) => {
    const server = await serveProtected(test);
    const hub = await openHub(test, { servers: { p: { url: server.url } } });
    server.denies = true;
    await assert.rejects(
      hub.login('p', { open: browse, signal: soon() }),
      /refused: access_denied/,
    );
    server.denies = false;
    await hub.login('p', { open: browse, signal: soon() });
    await until(hub, () => hub.tools().length > 0);
    await hub.logout('p');
    await until(hub, () => hub.servers()[0]?.loginRequired === true);
  });

  it('does not get the tokens of another address', async (test) => {
    const [first, second] = [await serveProtected(test), await serveProtected(test)];
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder, servers: { p: { url: first.url } } });
    await hub.login('p', { open: browse, signal: soon() });
    await hub.close();
    for (const token of first.good) second.good.add(token);
    const other = await openHub(test, { folder, servers: { p: { url: second.url } } });
    await other.ready(soon());
    assert.equal(other.servers()[0]?.loginRequired, true);
  });

  it('can be given up on', async (test) => {
    const server = await serveProtected(test);
    const hub = await openHub(test, { servers: { p: { url: server.url } } });
    const cancel = new AbortController();
    const open = () => cancel.abort(new Error('changed my mind'));
    await assert.rejects(hub.login('p', { open, signal: cancel.signal }), /changed my mind/);
  });
});

describe('the page a login comes back to', () => {
  it('turns away what does not know the state', async () => {
    const server = await startCallbackServer({ port: 0, state: 'right' });
    try {
      const answer = server.answer(soon());
      const wrong = await fetch(`${server.redirectUrl}?code=evil&state=wrong`);
      assert.equal(wrong.status, 404);
      assert.equal((await fetch(`${server.redirectUrl}?code=good&state=right`)).status, 200);
      assert.equal((await answer).get('code'), 'good');
    } finally {
      server.close();
    }
  });
});

describe('finding who gives tokens', () => {
  it('does not knock on unencrypted doors of other machines', () => {
    const send = secureFetch(async () => new Response(), 'https://e.com/mcp');
    assert.throws(() => send('http://169.254.169.254/latest'), /not encrypted/);
    assert.doesNotThrow(() => send('https://login.e.com/'));
    assert.doesNotThrow(() => send('http://127.0.0.1:9/'));
  });
});
