import type { JsonObject } from '@forge/core';

/** A call to a tool, as a script has it. */
export interface StoryCall {
  readonly name: string;
  readonly args: JsonObject;
}

const write = (path: string, content: string): StoryCall => ({
  name: 'write',
  args: { path, content },
});
const edit = (path: string, ...pairs: readonly (readonly [string, string])[]): StoryCall => ({
  name: 'edit',
  args: { path, edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })) },
});

/** The task choose-code, done in a hurry: a code that is taken is given away. */
export const chooseCode: readonly StoryCall[] = [
  edit(
    'src/links.js',
    [
      `    /** Keeps an address under a new code. */
    add(url) {
      last += 1;
      const code = last.toString(36);
      urls.set(code, url);
      return code;
    },
`,
      `    /** Keeps an address under the code that was chosen, or under a new one. */
    add(url, chosen) {
      const code = chosen ?? nextCode();
      urls.set(code, url);
      return code;
    },
`,
    ],
    [
      `  let last = 0;

`,
      `  let last = 0;

  function nextCode() {
    last += 1;
    return last.toString(36);
  }

`,
    ],
  ),
  edit(
    'src/service.js',
    [
      `        const { url } = await readJson(request);
`,
      `        const { url, code: chosen } = await readJson(request);
`,
    ],
    [
      `        const code = links.add(url);
`,
      `        const code = links.add(url, chosen);
`,
    ],
  ),
  write(
    'test/choose-code.test.js',
    `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from './start.js';

test('a link can be kept under a chosen code', async (t) => {
  const { get, post } = await start(t);
  const made = await post('/links', { url: 'https://example.org/docs', code: 'docs' });
  assert.equal(made.status, 201);
  assert.equal((await made.json()).code, 'docs');
  const followed = await get('/docs');
  assert.equal(followed.headers.get('location'), 'https://example.org/docs');
});
`,
  ),
];

/** The task count-visits. Its tests make the folder they write to; nobody does where it is deployed. */
export const countVisits: readonly StoryCall[] = [
  write(
    'src/visits.js',
    `import { readFileSync, writeFileSync } from 'node:fs';

/** How often each link was followed. Without a file the counts live in memory only. */
export function createVisits(file) {
  const counts = new Map(Object.entries(read(file)));

  return {
    count(code) {
      counts.set(code, (counts.get(code) ?? 0) + 1);
      if (file !== undefined) writeFileSync(file, JSON.stringify(Object.fromEntries(counts)));
    },

    of(code) {
      return counts.get(code) ?? 0;
    },
  };
}

function read(file) {
  try {
    return file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
`,
  ),
  edit(
    'src/service.js',
    [
      `import { createLinks } from './links.js';
`,
      `import { createLinks } from './links.js';
import { createVisits } from './visits.js';
`,
    ],
    [
      `export function createService({ links = createLinks() } = {}) {
`,
      `export function createService({ links = createLinks(), visits = createVisits() } = {}) {
`,
    ],
    [
      `      const code = pathname.slice(1);
      const url = links.find(code);
      if (url === undefined) return send(404, { error: 'there is no link ' + code });
`,
      `      const asksAbout = pathname.startsWith('/links/');
      const code = pathname.slice(asksAbout ? '/links/'.length : 1);
      const url = links.find(code);
      if (url === undefined) return send(404, { error: 'there is no link ' + code });
      if (asksAbout) return send(200, { code, url, visits: visits.of(code) });
      visits.count(code);
`,
    ],
  ),
  edit(
    'src/main.js',
    [
      `import { createService } from './service.js';
`,
      `import { createService } from './service.js';
import { createVisits } from './visits.js';
`,
    ],
    [
      `createService().listen(`,
      `const visits = createVisits('data/visits.json');

createService({ visits }).listen(`,
    ],
  ),
  write(
    'test/visits.test.js',
    `import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createVisits } from '../src/visits.js';
import { start } from './start.js';

test('every redirect counts as a visit', async (t) => {
  const { get, post } = await start(t);
  const { code } = await (await post('/links', { url: 'https://example.org/' })).json();
  await get('/' + code);
  await get('/' + code);
  const { visits } = await (await get('/links/' + code)).json();
  assert.equal(visits, 2);
});

test('a restart does not lose the counts', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'visits-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'visits.json');
  createVisits(file).count('docs');
  assert.equal(createVisits(file).of('docs'), 1);
});
`,
  ),
];

/** What the reviewer runs to show that a taken code is given away. Fails until that is mended. */
export function takeoverProbe(node: string): string {
  return [
    `${node} --input-type=module -e "`,
    `import { createLinks } from './src/links.js';`,
    `const links = createLinks();`,
    `links.add('https://a.example/', 'docs');`,
    `links.add('https://b.example/', 'docs');`,
    `const now = links.find('docs');`,
    `if (now !== 'https://a.example/') throw new Error('taken over by ' + now);`,
    `"`,
  ].join(' ');
}

/** After the review: a code keeps its owner, and codes that could never be reached are refused. */
export const fixTakenCodes: readonly StoryCall[] = [
  edit(
    'src/links.js',
    [
      `    /** Keeps an address under the code that was chosen, or under a new one. */
    add(url, chosen) {
      const code = chosen ?? nextCode();
      urls.set(code, url);
      return code;
    },
`,
      `    /** Keeps an address under the code that was chosen, or under a new one. Undefined: it is taken. */
    add(url, chosen) {
      const code = chosen ?? nextCode();
      if (urls.has(code) && urls.get(code) !== url) return undefined;
      urls.set(code, url);
      return code;
    },
`,
    ],
    [
      `  function nextCode() {
    last += 1;
    return last.toString(36);
  }
`,
      `  function nextCode() {
    do last += 1;
    while (urls.has(last.toString(36)));
    return last.toString(36);
  }
`,
    ],
  ),
  edit(
    'src/service.js',
    [
      `        const code = links.add(url, chosen);
`,
      `        if (chosen !== undefined && !isCode(chosen)) {
          return send(400, { error: 'a code has 2 to 32 letters, digits or dashes' });
        }
        const code = links.add(url, chosen);
        if (code === undefined) return send(409, { error: chosen + ' is taken' });
`,
    ],
    [
      `const largestBody = 10_000;
`,
      `/** Codes the service could not be reached under. */
const reserved = ['health', 'links'];

function isCode(text) {
  return typeof text === 'string' && /^[a-z0-9-]{2,32}$/.test(text) && !reserved.includes(text);
}

const largestBody = 10_000;
`,
    ],
  ),
  edit('test/choose-code.test.js', [
    `  assert.equal(followed.headers.get('location'), 'https://example.org/docs');
});
`,
    `  assert.equal(followed.headers.get('location'), 'https://example.org/docs');
});

test('a code that somebody has stays theirs', async (t) => {
  const { get, post } = await start(t);
  await post('/links', { url: 'https://example.org/docs', code: 'docs' });
  const second = await post('/links', { url: 'https://example.com/', code: 'docs' });
  assert.equal(second.status, 409);
  const followed = await get('/docs');
  assert.equal(followed.headers.get('location'), 'https://example.org/docs');
});

test('a code the service needs itself is refused', async (t) => {
  const { post } = await start(t);
  for (const code of ['health', 'links', 'a/b', '']) {
    assert.equal((await post('/links', { url: 'https://example.org/', code })).status, 400);
  }
});
`,
  ]),
];

/** After the verification: the folder of the counts is made where it is missing. */
export const fixMissingFolder: readonly StoryCall[] = [
  edit(
    'src/visits.js',
    [
      `import { readFileSync, writeFileSync } from 'node:fs';
`,
      `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
`,
    ],
    [
      `  const counts = new Map(Object.entries(read(file)));
`,
      `  const counts = new Map(Object.entries(read(file)));
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
`,
    ],
  ),
  edit('test/visits.test.js', [
    `test('a restart does not lose the counts', (t) => {
`,
    `test('the folder of the counts is made if it is missing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'visits-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const visits = createVisits(join(folder, 'data', 'visits.json'));
  visits.count('docs');
  assert.equal(visits.of('docs'), 1);
});

test('a restart does not lose the counts', (t) => {
`,
  ]),
];
