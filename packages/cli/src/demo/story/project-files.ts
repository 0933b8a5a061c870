/**
 * The first version of the demo's project, file by file: a link shortener without dependencies, for
 * any Node from 20 on. Here as text, since only what is compiled is published.
 */
export const projectFiles: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "shortlinks",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "start": "node src/main.js", "test": "node --test" }
}
`,
  'README.md': `# shortlinks

Short links for long addresses.

    POST /links  {"url": "https://example.org/a/long/way"}  ->  201 {"code": "1", …}
    GET  /1                                                 ->  302 to that address
    GET  /health                                            ->  200
`,
  '.gitignore': `data/
.forge/
`,
  'src/main.js': `import { createService } from './service.js';

const port = Number(process.env.PORT ?? 8080);
const host = process.env.HOST ?? '127.0.0.1';

createService().listen(port, host, () => {
  console.log('listening on http://' + host + ':' + port);
});
`,
  'src/service.js': `import { createServer } from 'node:http';
import { createLinks } from './links.js';

/** The service. Not started yet: that is up to the caller. */
export function createService({ links = createLinks() } = {}) {
  return createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body) + '\\n');
    };

    try {
      if (pathname === '/health') return send(200, { status: 'ok' });

      if (pathname === '/links' && request.method === 'POST') {
        const { url } = await readJson(request);
        if (!isWebAddress(url)) return send(400, { error: 'url has to be a web address' });
        const code = links.add(url);
        return send(201, { code, url });
      }

      const code = pathname.slice(1);
      const url = links.find(code);
      if (url === undefined) return send(404, { error: 'there is no link ' + code });
      return send(302, { code, url }, { location: url });
    } catch (error) {
      return send(error.status ?? 500, { error: error.message });
    }
  });
}

function isWebAddress(text) {
  return typeof text === 'string' && URL.canParse(text) && /^https?:/.test(text);
}

const largestBody = 10_000;

async function readJson(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > largestBody) throw refusal(413, 'the body is too long');
  }
  try {
    return Object(JSON.parse(text));
  } catch {
    throw refusal(400, 'the body has to be JSON');
  }
}

function refusal(status, message) {
  return Object.assign(new Error(message), { status });
}
`,
  'src/links.js': `/** Addresses by their code. They live as long as the process. */
export function createLinks() {
  const urls = new Map();
  let last = 0;

  return {
    /** Keeps an address under a new code. */
    add(url) {
      last += 1;
      const code = last.toString(36);
      urls.set(code, url);
      return code;
    },

    find(code) {
      return urls.get(code);
    },
  };
}
`,
  'test/start.js': `import { createService } from '../src/service.js';

/** A service on a free port, for one test. */
export async function start(t, options) {
  const service = createService(options);
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.after(() => service.close());
  const address = 'http://127.0.0.1:' + service.address().port;
  const get = (path) => fetch(address + path, { redirect: 'manual' });
  const post = (path, body) =>
    fetch(address + path, { method: 'POST', body: JSON.stringify(body) });
  return { get, post };
}
`,
  'test/service.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from './start.js';

test('a link leads to its address', async (t) => {
  const { get, post } = await start(t);
  const made = await post('/links', { url: 'https://example.org/' });
  assert.equal(made.status, 201);
  const { code } = await made.json();
  const followed = await get('/' + code);
  assert.equal(followed.status, 302);
  assert.equal(followed.headers.get('location'), 'https://example.org/');
});

test('only web addresses can be kept', async (t) => {
  const { post } = await start(t);
  for (const url of [undefined, 'hello', 'javascript:alert(1)']) {
    assert.equal((await post('/links', { url })).status, 400);
  }
});

test('a code that nobody has leads nowhere', async (t) => {
  const { get } = await start(t);
  assert.equal((await get('/nothing')).status, 404);
});
`,
};
