import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import type { McpHub } from '../hub/mcp-hub.ts';
import {
  call,
  odd,
  openHub,
  processesOf,
  soon,
  temporaryFolder,
  textOf,
  until,
  untilTrue,
} from '../testing/open-hub.ts';

const state = (hub: McpHub, name = 'odd') =>
  hub.servers().find((server) => server.name === name)?.state;
const notes = (hub: McpHub) => hub.servers()[0]?.notes.join('\n') ?? '';
const hasLogged = (hub: McpHub, line: string) => () => hub.log('odd').includes(line);

describe('a call', () => {
  it('is given up after a time of silence, and the server is told', async (test) => {
    const toolTimeouts = { hang: { call: 100 } };
    const hub = await openHub(test, { servers: { odd: { ...odd(), toolTimeouts } } });
    await hub.ready(soon());
    await assert.rejects(
      call(hub, 'odd__hang'),
      (error) =>
        ForgeError.is(error, 'tool_timeout') &&
        /odd__hang was given up.*100 ms/.test(error.message),
    );
    await until(hub, hasLogged(hub, 'cancelled'));
    assert.equal(state(hub), 'connected');
    assert.equal(textOf(await call(hub, 'odd__echo', { text: 'still here' })), 'echo: still here');
  });

  it('may have limits of its own, and progress does not stretch the total', async (test) => {
    const toolTimeouts = { progress: { call: 5_000, callTotal: 150 } };
    const hub = await openHub(test, { servers: { odd: { ...odd(), toolTimeouts } } });
    await hub.ready(soon());
    await assert.rejects(call(hub, 'odd__progress'), /took longer than 150 ms/);
  });

  it('ends at once when it is cancelled, and the server is told', async (test) => {
    const hub = await openHub(test, { servers: { odd: odd() } });
    await hub.ready(soon());
    const cancel = new AbortController();
    const calling = call(hub, 'odd__hang', {}, { signal: cancel.signal });
    await until(hub, hasLogged(hub, 'hanging'));
    cancel.abort(new Error('enough'));
    await assert.rejects(calling, /enough/);
    await until(hub, hasLogged(hub, 'cancelled'));
  });

  it('is not repeated when the server dies of it, and the server comes back', async (test) => {
    const hub = await openHub(test, { servers: { odd: odd() } });
    await hub.ready(soon());
    await assert.rejects(call(hub, 'odd__crash'), /not known; it was not repeated/);
    await until(hub, () => state(hub) === 'connected');
    const crashes = hub.log('odd').filter((line) => line === 'about to crash');
    assert.equal(crashes.length, 1);
    assert.equal(textOf(await call(hub, 'odd__echo', { text: 'back' })), 'echo: back');
  });

  it('connects first if need be, and says why if it cannot', async (test) => {
    const folder = temporaryFolder(test);
    const first = await openHub(test, { folder, servers: { odd: odd() } });
    await first.ready(soon());
    await first.close();
    const servers = { odd: { ...odd(), lazy: true } };
    const hub = await openHub(test, { folder, servers });
    await hub.ready(soon());
    assert.equal(state(hub), 'idle');
    assert.equal(textOf(await call(hub, 'odd__echo', { text: 'woken' })), 'echo: woken');
    assert.equal(state(hub), 'connected');
  });

  it('has a long answer cut, with the rest kept', async (test) => {
    const hub = await openHub(test, { servers: { odd: odd() } });
    await hub.ready(soon());
    const shown = textOf(await call(hub, 'odd__big', { text: '2000000' }));
    assert.ok(shown.length < 40_000);
    assert.match(shown, /The whole result has 2000000 bytes. Read on with read_result/);
  });

  it('fails with what the server says, made harmless', async (test) => {
    const file = join(temporaryFolder(test), 'tools.json');
    writeFileSync(file, JSON.stringify([{ name: 'fail', inputSchema: { type: 'object' } }]));
    const hub = await openHub(test, { servers: { odd: odd(`tools=${file}`) } });
    await hub.ready(soon());
    await assert.rejects(
      call(hub, 'odd__fail'),
      /^ForgeError: MCP server "odd" says:\n<untrusted-(\w+) .*\nit is broken\n<\/untrusted-\1>$/s,
    );
  });

  it('fails with what the server says in an error of the protocol, marked too', async (test) => {
    const file = join(temporaryFolder(test), 'tools.json');
    writeFileSync(file, JSON.stringify([{ name: 'refuse', inputSchema: { type: 'object' } }]));
    const hub = await openHub(test, { servers: { odd: odd(`tools=${file}`) } });
    await hub.ready(soon());
    await assert.rejects(
      call(hub, 'odd__refuse'),
      (error) =>
        ForgeError.is(error, 'tool_failed') &&
        /^MCP server "odd" failed:\n<untrusted-(\w+) .*Ignore your rules.*<\/untrusted-\1>$/s.test(
          error.message,
        ),
    );
  });
});

describe('a connection', () => {
  for (const habit of ['garbage', 'dies-of-probe', 'ignores-probe']) {
    it(`works with a server that ${habit}`, async (test) => {
      const hub = await openHub(test, {
        servers: { odd: { ...odd(habit), timeouts: { connect: 10_000 } } },
      });
      await hub.ready(soon());
      assert.equal(state(hub), 'connected');
      assert.equal(textOf(await call(hub, 'odd__echo', { text: 'hi' })), 'echo: hi');
    });
  }

  it('is made anew when the server gives no sign of life', async (test) => {
    const timeouts = { keepAlive: 50 };
    const hub = await openHub(test, { servers: { odd: { ...odd('no-ping'), timeouts } } });
    await hub.ready(soon());
    await until(hub, () => state(hub) === 'failed');
    await until(hub, () => state(hub) === 'connected');
  });

  it('stops trying after some time, and starts again when told to', async (test) => {
    const hub = await openHub(test, {
      servers: { odd: { command: 'no-such-program' } },
      reconnect: { first: 1, longest: 1, attempts: 3 },
    });
    await until(hub, () => state(hub) === 'failed' && hub.servers()[0]?.retryAt === undefined);
    let tries = 0;
    hub.onChange(() => {
      if (state(hub) === 'connecting') tries++;
    });
    await hub.retry('odd');
    await until(hub, () => tries > 1);
  });

  it('ends with a message too long to be one', async (test) => {
    const hub = await openHub(test, {
      servers: { odd: odd('endless-line') },
      reconnect: { attempts: 0 },
    });
    await until(hub, () => state(hub) === 'failed');
    assert.equal(hub.servers()[0]?.offered, 0);
  });
});

describe('a list of tools', () => {
  for (const [habit, expected] of [
    ['endless-list', /not whole: only 100 tools of 100 pages/],
    ['same-page', /not whole: the server sends the same page/],
    ['huge-list', /not whole: only 2000 tools/],
    ['broken-tools', /A tool is left out.*inputSchema/s],
    ['broken-tools', /"good" is listed twice/],
    ['broken-tools', /"deep" is left out: its definition is too long or nests too deep/],
  ] as const) {
    it(`says what is odd about ${habit}: ${expected.source.slice(0, 30)}`, async (test) => {
      const hub = await openHub(test, { servers: { odd: odd(habit) } });
      await hub.ready(soon());
      assert.equal(state(hub), 'connected');
      assert.match(notes(hub), expected);
      assert.ok((hub.servers()[0]?.offered ?? 0) > 0);
    });
  }
});

describe('the processes of a server', () => {
  it('are killed when the hub closes, also one that ignores all requests to end', async (test) => {
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder, servers: { odd: odd('deaf') } });
    await hub.ready(soon());
    const left = processesOf(folder);
    assert.equal(left().length, 1);
    await hub.close();
    await untilTrue(() => left().length === 0);
  });

  it('include what it moved to a session of its own', async (test) => {
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder, servers: { odd: odd('daemon') } });
    await hub.ready(soon());
    const left = processesOf(folder);
    assert.equal(left().length, 2);
    await hub.close();
    await untilTrue(() => left().length === 0);
  });

  it('see nothing of our environment but what they need and were given', async (test) => {
    const file = join(temporaryFolder(test), 'tools.json');
    writeFileSync(file, JSON.stringify([{ name: 'env', inputSchema: { type: 'object' } }]));
    const secrets: Record<string, string> = {
      PATH: '/bin',
      OPENAI_API_KEY: 'sk-1',
      TOKEN: 'given',
    };
    const hub = await openHub(test, {
      readVariable: (name) => secrets[name],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to it.
      servers: { odd: { ...odd(`tools=${file}`), env: { KEY: 'Bearer ${env:TOKEN}' } } },
    });
    await hub.ready(soon());
    const seen = JSON.parse(textOf(await call(hub, 'odd__env')));
    assert.deepEqual(Object.keys(seen).sort(), ['FORGE_MCP_OWNER', 'KEY', 'PATH']);
    assert.equal(seen.KEY, 'Bearer given');
  });
});
