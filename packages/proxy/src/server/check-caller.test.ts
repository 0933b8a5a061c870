import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallerCheck } from './check-caller.ts';

interface Row {
  host?: string;
  origin?: string;
  version?: number;
  listens?: string;
  apiKey?: string;
  status: number | undefined;
}

const rows: Record<string, Row> = {
  'the address': { host: '127.0.0.1:8081', status: undefined },
  'another address of loopback': { host: '127.9.9.9', status: undefined },
  'version six': { host: '[::1]:8081', status: undefined },
  'the name': { host: 'LocalHost:8081', status: undefined },
  'a name below it': { host: 'a.localhost', status: undefined },
  'from a container': { host: 'host.docker.internal:8081', status: undefined },
  'a name without dots': { host: 'proxy:8081', status: undefined },
  'an address of the network': { host: '192.168.1.7:8081', status: undefined },
  'a name somebody could buy': { host: 'evil.example:8081', status: 403 },
  'the same with the dot at its end': { host: 'evil.example.:8081', status: 403 },
  'a name that only looks local': { host: 'localhost.evil.example', status: 403 },
  'an address that only looks like one': { host: '127.0.0.1.evil.example', status: 403 },
  'the name it was given': { host: 'forge.example', listens: 'forge.example', status: undefined },
  'any name where all may come': { host: 'my.example', listens: '0.0.0.0', status: undefined },
  'any name with a key': { host: 'my.example', apiKey: 'k', status: undefined },
  'no host': { status: 400 },
  'no host with a key': { apiKey: 'k', status: 400 },
  'no host in HTTP/1.0': { version: 0, status: undefined },
  'a page of this machine': {
    host: '127.0.0.1',
    origin: 'http://localhost:3000',
    status: undefined,
  },
  'an extension': { host: '127.0.0.1', origin: 'vscode-webview://abc', status: undefined },
  'its own page': { host: 'my.lan:1', listens: '::', origin: 'http://my.lan:1', status: undefined },
  'a page of elsewhere': { host: '127.0.0.1', origin: 'https://evil.example', status: 403 },
  'a page that looks local': {
    host: '127.0.0.1',
    origin: 'http://localhost.evil.example',
    status: 403,
  },
  'a page with a user': { host: '127.0.0.1', origin: 'http://localhost@evil.example', status: 403 },
  'a sandboxed page': { host: '127.0.0.1', origin: 'null', status: 403 },
  'a page of elsewhere, where all may come': {
    host: 'my.lan',
    listens: '0.0.0.0',
    origin: 'https://evil.example',
    status: 403,
  },
  'a page of elsewhere with a key': {
    host: '127.0.0.1',
    origin: 'https://chat.example',
    apiKey: 'k',
    status: undefined,
  },
};

for (const [name, row] of Object.entries(rows)) {
  test(`${name}: ${row.status ?? 'in'}`, () => {
    const { host, origin, version = 1, listens = '127.0.0.1', apiKey } = row;
    const check = createCallerCheck({ host: listens, apiKey });
    const headers = {
      ...(host !== undefined && { host }),
      ...(origin !== undefined && { origin }),
    };
    const ask = () => check({ headers, httpVersionMinor: version })?.status;
    assert.equal(ask(), row.status);
    assert.equal(ask(), row.status, 'the second time too');
  });
}
