import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { mcpFiles } from '../mcp-files.ts';
import {
  call,
  odd,
  openHub,
  soon,
  temporaryFolder,
  textOf,
  toolNamed,
  until,
} from '../testing/open-hub.ts';
import type { McpHub } from './mcp-hub.ts';

const names = (hub: McpHub) => hub.tools().map(({ spec }) => spec.name);
const stateOf = (hub: McpHub, name: string) =>
  hub.servers().find((server) => server.name === name)?.state;

describe('servers at run time', () => {
  it('are added, disabled, enabled and removed, and all of it is kept', async (test) => {
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder });
    await hub.add('odd', { ...odd(), env: { KEY: 'literal-secret' } });
    await hub.ready(soon());
    assert.equal(textOf(await call(hub, 'odd__echo', { text: 'hi' })), 'echo: hi');
    await assert.rejects(hub.add('odd', odd()), /already/);
    await assert.rejects(hub.add('other', { command: '' }), /not set up right/);

    await hub.setEnabled('odd', false);
    assert.equal(stateOf(hub, 'odd'), 'disabled');
    assert.deepEqual(names(hub), []);
    await hub.setEnabled('odd', true);
    await hub.ready(soon());
    assert.ok(names(hub).includes('odd__echo'));

    const file = join(folder, 'mcp.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).mcpServers.odd.env.KEY, 'literal-secret');
    assert.ok(!JSON.stringify(hub.servers()).includes('literal-secret'));

    await hub.remove('odd');
    assert.deepEqual(hub.servers(), []);
    assert.deepEqual(hub.pins.list(), []);
    await assert.rejects(hub.remove('odd'), /There is no MCP server "odd"/);
  });

  it('have single tools turned off and on', async (test) => {
    const hub = await openHub(test, {
      servers: { odd: { ...odd(), allowedTools: ['echo', 'big'] } },
    });
    await hub.ready(soon());
    assert.deepEqual(names(hub), ['odd__echo', 'odd__big']);
    const held = toolNamed(hub, 'odd__echo');
    await hub.setToolEnabled('odd', 'echo', false);
    assert.deepEqual(names(hub), ['odd__big']);
    const context = { runId: 'r', callId: 'c', idempotencyKey: 'k', signal: soon() };
    await assert.rejects(
      async () => held.run?.({}, context),
      /odd__echo may not be called. It is turned off/,
    );
    await hub.setToolEnabled('odd', 'echo', true);
    assert.deepEqual(names(hub), ['odd__echo', 'odd__big']);
    assert.equal(stateOf(hub, 'odd'), 'connected', 'no reason to connect anew');
    await assert.rejects(hub.setToolEnabled('odd', 'ecoh', false), /no tool "ecoh".*echo/);
  });

  it('that are replaced leave nothing of the old one to the new one', async (test) => {
    const hub = await openHub(test, {
      servers: { odd: { ...odd(), env: { KEY: 'a secret' }, trust: 'trusted' } },
    });
    await hub.ready(soon());
    await hub.add('odd', odd(), { replace: true });
    await hub.ready(soon());
    const { config } = hub.servers()[0] ?? {};
    assert.ok(config?.type === 'stdio');
    assert.deepEqual(config.env, {});
    assert.equal(config.trust, 'ask');
  });

  it('of the project are overlaid, not replaced, and stay in the project', async (test) => {
    const folder = temporaryFolder(test);
    const servers = { odd: odd() };
    const hub = await openHub(test, { folder, servers });
    await hub.setEnabled('odd', false);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'mcp.json'), 'utf8')).mcpServers, {
      odd: { enabled: false },
    });
    await assert.rejects(hub.remove('odd'), /project's configuration/);
    const later = await openHub(test, { folder, servers });
    assert.equal(stateOf(later, 'odd'), 'disabled');
  });

  it('are connected when somebody edits the file, or another process does', async (test) => {
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder });
    await hub.ready(soon());
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { edited: odd() } }));
    await until(hub, () => stateOf(hub, 'edited') === 'connected');
    const other = await openHub(test, { folder, passive: true });
    await other.setEnabled('edited', false);
    await until(hub, () => stateOf(hub, 'edited') === 'disabled');
  });

  it('survive a file that is broken for a moment', async (test) => {
    const folder = temporaryFolder(test);
    const hub = await openHub(test, { folder });
    await hub.add('odd', odd());
    await hub.ready(soon());
    writeFileSync(join(folder, 'mcp.json'), '{ "mcpServers": ');
    await until(
      hub,
      () => hub.servers()[0]?.notes.some((note) => /cannot be used/.test(note)) === true,
    );
    assert.equal(textOf(await call(hub, 'odd__echo', { text: 'on' })), 'echo: on');
    await assert.rejects(openHub(test, { places: mcpFiles(folder) }), /mcp.json cannot be used/);
  });

  it('are tried out without a trace', async (test) => {
    const hub = await openHub(test, { passive: true });
    const good = await hub.test('new', { config: odd(), signal: soon() });
    assert.equal(good.ok, true);
    assert.ok(good.tools.some(({ name }) => name === 'echo'));
    const silent = { ...odd('silent'), timeouts: { connect: 300 } };
    const bad = await hub.test('new', { config: silent, signal: soon() });
    assert.equal(bad.ok, false);
    assert.match(bad.status.error ?? '', /not ready within 300 ms/);
    assert.deepEqual(hub.servers(), []);
    assert.deepEqual(hub.pins.list(), []);
  });

  it('with tools that come to one name have neither offered, and both named', async (test) => {
    const file = join(temporaryFolder(test), 'tools.json');
    const inputSchema = { type: 'object' };
    const tools = [
      { name: 'a.b', inputSchema },
      { name: 'a b', inputSchema },
      { name: 'c', inputSchema },
    ];
    writeFileSync(file, JSON.stringify(tools));
    const hub = await openHub(test, { servers: { odd: odd(`tools=${file}`) } });
    await hub.ready(soon());
    assert.deepEqual(names(hub), ['odd__c']);
    const [clash] = hub.toolList();
    assert.equal(clash?.state, 'clash');
    assert.match(clash.reason ?? '', /"odd\/a\.b" and "odd\/a b" both come to the name odd__a_b/);
  });
});
