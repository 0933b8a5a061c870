import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { findRule, parseHostRule, plainHost } from './host-rules.ts';
import { isPublicAddress } from './public-address.ts';
import { type EgressProxy, startEgressProxy } from './start-egress-proxy.ts';

describe('the hosts of a list', () => {
  const rules = ['example.org', '*.below.org', 'other.org:8443', '10.0.0.7:80', '[::1]:81'].map(
    parseHostRule,
  );
  const isAllowed = (host: string, port = 443) => {
    const plain = plainHost(host);
    return plain !== undefined && findRule(rules, { host: plain, port }) !== undefined;
  };

  it('are themselves, or those below a star, on their ports', () => {
    for (const [host, port] of [
      ['example.org'],
      ['EXAMPLE.org.'],
      ['a.below.org'],
      ['a.b.below.org', 80],
      ['other.org', 8443],
      ['10.0.0.7', 80],
      ['[::1]', 81],
    ] as const)
      assert.ok(isAllowed(host, port), host);
    for (const [host, port] of [
      ['below.org'],
      ['evilbelow.org'],
      ['example.org.evil.org'],
      ['example.org', 22],
      ['other.org'],
      ['xexample.org'],
      ['10.0.0.8', 80],
    ] as const)
      assert.ok(!isAllowed(host, port), host);
  });

  it('are never found in what is no plain name', () => {
    for (const host of [
      'evil\0.below.org',
      'evil .below.org',
      'evil@a.below.org',
      'evil/.below.org',
      'evil%00.below.org',
      'evil\r\n.below.org',
      'é.below.org',
      '.below.org',
      'a..below.org',
      '-a.below.org',
      '',
      `${'a'.repeat(64)}.below.org`,
    ])
      assert.ok(!isAllowed(host), JSON.stringify(host));
    for (const address of ['127.1', '0x7f.1', '2130706433', '0177.0.0.1', '1.2.3', '1.2.3.4.5'])
      assert.equal(plainHost(address), undefined, address);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = plainHost(text);
        assert.ok(plain === undefined || /^[a-z0-9._:-]+$/.test(plain));
      }),
    );
  });

  it('are refused when they could not be one', () => {
    for (const text of [
      '',
      '*',
      'a b',
      'http://example.org',
      'example.org:0',
      'example.org:99999',
      '*.*.org',
      '*.10.0.0.1',
      'a/b',
    ])
      assert.throws(
        () => parseHostRule(text),
        (error) => ForgeError.is(error, 'invalid_options'),
        text,
      );
  });
});

describe('addresses', () => {
  it('are public, or they are this machine, its network, or something special', () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.0.1',
      '172.31.0.1',
      '100.64.0.1',
      '0.0.0.0',
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'fd00::1',
      'fd00:ec2::254',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::a00:1',
      '2002:7f00:1::',
      'not an address',
    ])
      assert.ok(!isPublicAddress(address), address);
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '172.32.0.1'])
      assert.ok(isPublicAddress(address), address);
  });
});

describe('the egress proxy', () => {
  const web = createServer((incoming, response) => response.end(`you asked for ${incoming.url}`));
  let proxy: EgressProxy;
  let webPort = 0;
  const refused: string[] = [];
  before(async () => {
    await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
    const address = web.address();
    assert.ok(typeof address === 'object' && address !== null);
    webPort = address.port;
    proxy = await startEgressProxy({
      hosts: [`127.0.0.1:${webPort}`, `named.test:${webPort}`, 'named.test', '*.below.test'],
      listen: { host: '127.0.0.1' },
      resolve: async (host) => (host === 'named.test' ? ['10.0.0.1', '127.0.0.1'] : ['127.0.0.1']),
      onRefused: ({ host }) => refused.push(host),
    });
  });
  after(async () => {
    await proxy.close();
    web.close();
  });

  const get = (url: string) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      request(
        { host: '127.0.0.1', port: proxy.port, path: url, agent: false },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode, text });
        },
      )
        .once('error', reject)
        .end();
    });
  const tunnel = (authority: string) =>
    new Promise<{ line: string; socket: Socket }>((resolve, reject) => {
      const socket = connect(proxy.port ?? 0, '127.0.0.1');
      socket.once('error', reject);
      socket.write(
        `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority.replace(/[^\w.:]/g, '')}\r\n\r\n`,
      );
      socket.once('data', (data) => resolve({ line: String(data).split('\r\n')[0] ?? '', socket }));
    });

  it('passes plain HTTP on to a host that is allowed', async () => {
    assert.deepEqual(await get(`http://127.0.0.1:${webPort}/a?b`), {
      status: 200,
      text: 'you asked for /a?b',
    });
  });

  it('opens a tunnel to a host that is allowed', async () => {
    const { line, socket } = await tunnel(`127.0.0.1:${webPort}`);
    assert.match(line, /^HTTP\/1.1 200/);
    socket.write('GET /t HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /you asked for \/t/);
  });

  it('refuses every other host, and tells of it', async () => {
    assert.equal((await get('http://other.test/')).status, 403);
    for (const authority of [
      'other.test:443',
      '127.0.0.1:22',
      `localhost:${webPort}`,
      '169.254.169.254:80',
      'below.test:443',
      `[::1]:${webPort}`,
    ]) {
      const { line, socket } = await tunnel(authority);
      assert.match(line, /^HTTP\/1.1 403/, authority);
      socket.destroy();
    }
    assert.ok(refused.includes('169.254.169.254:80'));
  });

  it('refuses a name that leads to a private address, though the name is allowed', async () => {
    assert.match((await get('http://named.test/')).text, /leads to a private address/);
    assert.match((await get('http://a.below.test/')).text, /leads to a private address/);
    // The address itself is on the list, for that port.
    assert.equal((await get(`http://named.test:${webPort}/b`)).text, 'you asked for /b');
  });

  it('refuses what is not said as a proxy is asked', async () => {
    assert.equal((await get('/relative')).status, 400);
    assert.equal((await get('ftp://127.0.0.1/')).status, 400);
  });
});

describe('a host that answers what is no answer', () => {
  for (const said of [
    'HTTP/1.1 099 X\r\n\r\n',
    'HTTP/1.1 000 X\r\n\r\n',
    'HTTP/1.0 200 OK\r\ntrailer: x\r\ncontent-length: 1\r\n\r\na',
  ]) {
    it(`does no harm with ${JSON.stringify(said)}`, async () => {
      const far = createTcpServer((socket) => socket.on('error', () => {}).end(said));
      await new Promise<void>((done) => far.listen(0, '127.0.0.1', done));
      const address = far.address();
      assert.ok(typeof address === 'object' && address !== null);
      const host = `127.0.0.1:${address.port}`;
      const proxy = await startEgressProxy({ hosts: [host], listen: { host: '127.0.0.1' } });
      try {
        const socket = connect(proxy.port ?? 0, '127.0.0.1');
        socket.write(`GET http://${host}/ HTTP/1.1\r\nhost: x\r\n\r\n`);
        let text = '';
        for await (const chunk of socket) text += chunk;
        assert.match(text, /^HTTP\/1.1 502 /);
      } finally {
        await proxy.close();
        far.close();
      }
    });
  }
});

describe('a caller that does not wait', () => {
  it('has no more connections made for it than it may have open', async () => {
    const answered = Promise.withResolvers<readonly string[]>();
    let asked = 0;
    const proxy = await startEgressProxy({
      hosts: ['slow.test'],
      listen: { host: '127.0.0.1' },
      connections: 3,
      resolve: () => {
        asked += 1;
        return answered.promise;
      },
    });
    try {
      // It leaves once its request is known, so it never has more than one connection open.
      for (let answer = ''; !answer.includes(' 502 '); ) {
        const before = asked;
        const socket = connect(proxy.port ?? 0, '127.0.0.1');
        socket.on('data', (data) => {
          answer += data;
          socket.end();
        });
        const closed = once(socket, 'close');
        socket.write('GET http://slow.test/ HTTP/1.1\r\nhost: x\r\n\r\n');
        while (asked === before && !socket.destroyed) await nextTurn();
        socket.destroy();
        await closed;
        assert.ok(asked <= 3);
      }
      assert.equal(asked, 3);
    } finally {
      answered.resolve([]);
      await proxy.close();
    }
  });
});

describe('the traffic of a proxy', () => {
  it('has an end', async () => {
    const web = createServer((_incoming, response) => {
      const timer = setInterval(() => response.write('x'.repeat(50_000)), 1);
      response.once('close', () => clearInterval(timer));
    });
    await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
    const address = web.address();
    assert.ok(typeof address === 'object' && address !== null);
    const host = `127.0.0.1:${address.port}`;
    const proxy = await startEgressProxy({
      hosts: [host],
      listen: { host: '127.0.0.1' },
      bytes: 100_000,
    });
    try {
      await assert.rejects(
        new Promise((resolve, reject) => {
          const options = {
            host: '127.0.0.1',
            port: proxy.port,
            path: `http://${host}/`,
            agent: false,
          };
          request(options, (response) =>
            response.resume().once('end', resolve).once('error', reject),
          )
            .once('error', reject)
            .end();
        }),
      );
      const { receivedBytes } = proxy.traffic();
      assert.ok(receivedBytes > 100_000);
      const again = connect(proxy.port ?? 0, '127.0.0.1');
      again.write(`CONNECT ${host} HTTP/1.1\r\nhost: x\r\n\r\n`);
      assert.match(String((await once(again, 'data'))[0]), /403.*used up/s);
      again.destroy();
      assert.equal(proxy.traffic().receivedBytes, receivedBytes);
    } finally {
      await proxy.close();
      web.close();
      web.closeAllConnections();
    }
  });
});
