import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  call,
  odd,
  openHub,
  published,
  soon,
  temporaryFolder,
  textOf,
  toolNamed,
} from '../testing/open-hub.ts';

describe('published servers over stdio', () => {
  it('offers and calls the tools of server-everything', async (test) => {
    const hub = await openHub(test, { servers: { all: published('server-everything') } });
    await hub.ready(soon());
    const [status] = hub.servers();
    assert.equal(status?.state, 'connected');
    assert.equal(status.protocol, '2025-11-25');
    assert.equal(textOf(await call(hub, 'all__echo', { message: 'hello' })), 'Echo: hello');
    assert.match(textOf(await call(hub, 'all__get-sum', { a: 2, b: 3 })), /\b5\b/);
    assert.match(textOf(await call(hub, 'all__get-tiny-image')), /<image\/png>/);
    assert.match(
      textOf(await call(hub, 'all__get-resource-links', { count: 2 })),
      /Link to .* at demo:/,
    );
    assert.match(
      textOf(await call(hub, 'all__get-structured-content', { location: 'Chicago' })),
      /"temperature":\d+/,
    );
    assert.match(hub.log('all').join('\n'), /Starting default/);
  });

  it('checks arguments with the schema of the server', async (test) => {
    const hub = await openHub(test, { servers: { all: published('server-everything') } });
    await hub.ready(soon());
    const { schema } = toolNamed(hub, 'all__get-sum');
    assert.ok(schema.accepts({ a: 1, b: 2 }));
    assert.ok(!schema.accepts({ a: 'one', b: 2 }));
  });

  it('keeps a call alive that tells of its progress, up to a limit', async (test) => {
    const timeouts = { call: 4_000, callTotal: 60_000 };
    const hub = await openHub(test, {
      servers: { all: { ...published('server-everything'), timeouts } },
    });
    await hub.ready(soon());
    const args = { duration: 6, steps: 12 };
    assert.match(textOf(await call(hub, 'all__trigger-long-running-operation', args)), /completed/);
  });

  it('reads files with server-filesystem, and is told no for others', async (test) => {
    const folder = realpathSync(temporaryFolder(test));
    mkdirSync(join(folder, 'open'));
    writeFileSync(join(folder, 'open', 'a.txt'), 'inside');
    writeFileSync(join(folder, 'secret.txt'), 'outside');
    const server = published('server-filesystem', join(folder, 'open'));
    const hub = await openHub(test, { servers: { fs: server } });
    await hub.ready(soon());
    const path = join(folder, 'open', 'a.txt');
    assert.match(textOf(await call(hub, 'fs__read_text_file', { path })), /inside/);
    await assert.rejects(
      call(hub, 'fs__read_text_file', { path: join(folder, 'secret.txt') }),
      /MCP server "fs" says:.*Access denied/s,
    );
  });

  it('remembers with server-memory', async (test) => {
    const file = join(temporaryFolder(test), 'memory.json');
    const env = { MEMORY_FILE_PATH: file };
    const hub = await openHub(test, {
      servers: { memory: { ...published('server-memory'), env } },
    });
    await hub.ready(soon());
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }];
    await call(hub, 'memory__create_entities', { entities });
    assert.match(textOf(await call(hub, 'memory__search_nodes', { query: 'programs' })), /Ada/);
  });

  it('lets no bad server stop the others', async (test) => {
    const hub = await openHub(test, {
      servers: {
        good: odd(),
        missing: { command: 'no-such-program' },
        wrong: { comand: 'typo' },
        'bad name': odd(),
        crashing: odd('dies-after-list'),
        silent: { ...odd('silent'), timeouts: { connect: 300 } },
      },
    });
    await hub.ready(soon());
    const states = Object.fromEntries(
      hub.servers().map(({ name, state, error }) => [name, { state, error }]),
    );
    assert.equal(states.good?.state, 'connected');
    assert.match(states.missing?.error ?? '', /could not be started: .*ENOENT/);
    assert.match(states.wrong?.error ?? '', /not set up right.*comand/s);
    assert.match(states['bad name']?.error ?? '', /letters and digits/);
    assert.match(states.silent?.error ?? '', /not ready within 300 ms/);
    assert.equal(textOf(await call(hub, 'good__echo', { text: 'hi' })), 'echo: hi');
  });
});
