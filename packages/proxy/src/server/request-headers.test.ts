import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire } from '@forge/models';
import { createBackendHeaders } from './request-headers.ts';

type Pairs = Readonly<Record<string, string>>;

function flat(headers: Pairs): string[] {
  return Object.entries(headers).flat();
}

function pairs(headers: readonly string[]): Pairs {
  const found: [string, string][] = [];
  for (let at = 0; at < headers.length; at += 2) {
    found.push([headers[at] ?? '', headers[at + 1] ?? '']);
  }
  assert.equal(new Set(found.map(([name]) => name)).size, found.length, 'no header twice');
  return Object.fromEntries(found);
}

interface Row {
  backend?: Wire['name'];
  backendKey?: string;
  proxyKey?: string;
  client?: Wire['name'];
  sent: Pairs;
  search?: string;
  /** All that has to do with credentials and versions. */
  got: Pairs;
}

const rows: Record<string, Row> = {
  'a key stays where it is between like wires': {
    client: 'openai-responses',
    sent: { Authorization: 'Bearer k' },
    got: { authorization: 'Bearer k' },
  },
  'an unusual place stays too': {
    client: 'openai-chat',
    sent: { 'api-key': 'k' },
    got: { 'api-key': 'k' },
  },
  'x-api-key becomes a bearer': {
    client: 'anthropic-messages',
    sent: { 'x-api-key': 'k', 'anthropic-version': 'v', 'anthropic-beta': 'b' },
    got: { authorization: 'Bearer k' },
  },
  'a bearer becomes x-api-key, with a version': {
    backend: 'anthropic-messages',
    client: 'openai-chat',
    sent: { authorization: 'bearer k', 'openai-organization': 'o' },
    got: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  },
  'a token of a log-in stays a bearer': {
    backend: 'anthropic-messages',
    client: 'openai-chat',
    sent: { authorization: 'Bearer sk-ant-oat-1' },
    got: { authorization: 'Bearer sk-ant-oat-1', 'anthropic-version': '2023-06-01' },
  },
  'both came to Anthropic from its own client': {
    backend: 'anthropic-messages',
    client: 'anthropic-messages',
    sent: { 'x-api-key': 'k', authorization: 'Bearer t', 'anthropic-version': 'v' },
    got: { 'x-api-key': 'k', authorization: 'Bearer t', 'anthropic-version': 'v' },
  },
  'of two the one of the wire wins': {
    client: 'anthropic-messages',
    sent: { 'x-api-key': 'k', authorization: 'Bearer t' },
    got: { authorization: 'Bearer t' },
  },
  'to Gemini': {
    backend: 'gemini',
    client: 'anthropic-messages',
    sent: { 'x-api-key': 'k' },
    got: { 'x-goog-api-key': 'k' },
  },
  'from the query of a client of Gemini': {
    client: 'gemini',
    sent: {},
    search: '?alt=sse&key=k',
    got: { authorization: 'Bearer k' },
  },
  'the key of the backend instead of the client’s': {
    backendKey: 'own',
    client: 'anthropic-messages',
    sent: { 'x-api-key': 'k', authorization: 'Bearer t', 'x-goog-api-key': 'g' },
    got: { authorization: 'Bearer own' },
  },
  'the same where nothing is written anew': {
    backend: 'anthropic-messages',
    backendKey: 'own',
    sent: { authorization: 'Bearer t' },
    got: { 'x-api-key': 'own', 'anthropic-version': '2023-06-01' },
  },
  'the key of the proxy goes nowhere': {
    proxyKey: 'p',
    client: 'openai-chat',
    sent: { authorization: 'Bearer p', 'x-api-key': 'p' },
    got: {},
  },
  'nor where the backend has one': {
    proxyKey: 'p',
    backendKey: 'own',
    sent: { 'x-api-key': 'p' },
    got: { authorization: 'Bearer own' },
  },
  'what passes through keeps its key': {
    sent: { 'x-api-key': 'k' },
    got: { 'x-api-key': 'k' },
  },
  'no key is no key': { client: 'anthropic-messages', sent: {}, got: {} },
};

for (const [name, row] of Object.entries(rows)) {
  test(name, () => {
    const { backend = 'openai-chat', backendKey, proxyKey, client, sent, search = '', got } = row;
    const outgoing = createBackendHeaders({ wire: backend, backendKey, proxyKey });
    const headers = pairs(outgoing.headers(flat(sent), { wire: client, search }));
    const { 'content-type': _type, 'accept-encoding': _encoding, ...rest } = headers;
    assert.deepEqual(rest, got);
  });
}

const everything = {
  Host: '127.0.0.1',
  Connection: 'keep-alive, X-Hop',
  'X-Hop': '1',
  'Keep-Alive': 'timeout=5',
  'Proxy-Authorization': 'Basic x',
  TE: 'trailers',
  'Transfer-Encoding': 'chunked',
  Upgrade: 'h2c',
  Expect: '100-continue',
  'X-Forge-Session': 's',
  'User-Agent': 'u',
  'Content-Type': 'text/plain',
  'Content-Length': '3',
  'Content-Encoding': 'gzip',
  'Accept-Encoding': 'gzip, br',
  'X-Custom': 'é',
};

test('what is for the next server only stays behind; the rest of what passes goes as it came', () => {
  const outgoing = createBackendHeaders({ wire: 'openai-chat' });
  assert.deepEqual(pairs(outgoing.headers(flat(everything), { wire: undefined, search: '' })), {
    'user-agent': 'u',
    'content-type': 'text/plain',
    'content-length': '3',
    'content-encoding': 'gzip',
    'accept-encoding': 'gzip, br',
    'x-custom': 'é',
  });
});

test('of a body the proxy writes, the headers are the proxy’s', () => {
  const outgoing = createBackendHeaders({ wire: 'openai-chat' });
  assert.deepEqual(pairs(outgoing.headers(flat(everything), { wire: 'openai-chat', search: '' })), {
    'user-agent': 'u',
    'x-custom': 'é',
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  });
});

test('a key in the query is taken out where keys of clients are', () => {
  const open = createBackendHeaders({ wire: 'gemini' });
  assert.equal(open.search('?key=k&alt=sse'), '?key=k&alt=sse');
  const closed = createBackendHeaders({ wire: 'gemini', proxyKey: 'k' });
  assert.equal(closed.search('?key=k&alt=sse'), '?alt=sse');
  assert.equal(closed.search('?key=k'), '');
  assert.equal(closed.search('?monkey=1'), '?monkey=1');
  assert.equal(closed.search(''), '');
});

test('a client cannot have left out what the proxy adds', () => {
  const { headers } = createBackendHeaders({ wire: 'openai-chat', backendKey: 'own' });
  const sent = { Connection: 'authorization, content-type', Authorization: 'Bearer theirs' };
  const got = pairs(headers(flat(sent), { wire: 'openai-chat', search: '' }));
  assert.equal(got.authorization, 'Bearer own');
  assert.equal(got['content-type'], 'application/json');
  const passing = createBackendHeaders({ wire: 'openai-chat' });
  const passed = pairs(passing.headers(flat(sent), { wire: 'openai-chat', search: '' }));
  assert.equal(passed.authorization, undefined);
});
