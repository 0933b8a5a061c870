import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { checkPipeline, detectChecks, parsePipeline, parsePrompt } from '@forge/pipeline';
import { createTargets } from '@forge/targets';
import fc from 'fast-check';
import { main } from '../main.ts';
import { parseProjectFile, readProjectFile } from '../project/read-project-file.ts';
import { settingsSchema } from '../settings/settings-schema.ts';
import { type Detected, detectProject } from './init/detect-project.ts';
import type { Folder } from './init/folder.ts';
import { nameFor } from './init/init-project.ts';
import { projectText } from './init/project-text.ts';

type Files = Readonly<Record<string, string>>;

/** A folder that is a table. `x/` is a folder in it. */
const folderOf = (files: Files): Folder => ({
  has: (name) => name in files || `${name}/` in files,
  read: (name) => files[name],
});

const manifest = (scripts: object, more: object = {}) =>
  JSON.stringify({ name: '@team/app', scripts, ...more });

const detections: readonly (readonly [what: string, files: Files, found: Partial<Detected>])[] = [
  ['nothing', {}, { checks: [], because: [] }],
  [
    'a Node service',
    {
      'package.json': manifest({ test: 'node --test', start: 'node server.js', build: 'tsc' }),
      'package-lock.json': '',
      'tsconfig.json': '',
    },
    {
      name: '@team/app',
      language: 'typescript',
      checks: ['npm test'],
      build: 'npm ci && npm run build',
      start: 'npm start',
      target: 'process',
    },
  ],
  [
    'pnpm',
    { 'package.json': manifest({ test: 'vitest run', start: 'x' }), 'pnpm-lock.yaml': '' },
    { checks: ['pnpm test'], start: 'pnpm start', build: 'pnpm install --frozen-lockfile' },
  ],
  [
    'bun',
    { 'package.json': manifest({ test: 'x' }), 'bun.lock': '' },
    { checks: ['bun run test'] },
  ],
  [
    'the test script npm writes',
    { 'package.json': manifest({ test: 'echo "Error: no test specified" && exit 1' }) },
    { language: 'javascript', checks: [] },
  ],
  [
    'a service without dependencies',
    { 'package.json': '{}', 'server.js': '' },
    { start: 'node server.js' },
  ],
  ['a manifest that is no JSON', { 'package.json': '{' }, { language: 'javascript', checks: [] }],
  [
    'a Python project with pytest',
    { 'pyproject.toml': '[project]\nname = "thing"\ndependencies = ["pytest"]\n', 'main.py': '' },
    {
      name: 'thing',
      language: 'python',
      checks: ['python3 -m pytest -q'],
      start: 'python3 main.py',
    },
  ],
  [
    'a FastAPI service',
    { 'requirements.txt': 'fastapi\nuvicorn\n', 'app.py': '', 'tests/': '' },
    {
      checks: ['python3 -m unittest'],
      start: 'python3 -m uvicorn app:app --host $HOST --port $PORT',
    },
  ],
  [
    'a Rust program',
    { 'Cargo.toml': '[package]\nname = "my-app"\n', 'src/main.rs': '' },
    {
      name: 'my-app',
      language: 'rust',
      checks: ['cargo test'],
      build: 'cargo build --release',
      start: './target/release/my-app',
    },
  ],
  ['a Rust library', { 'Cargo.toml': '[package]\nname = "lib"\n' }, { checks: ['cargo test'] }],
  [
    'a Go program',
    { 'go.mod': 'module example.com/me/app/v2\n', 'main.go': '' },
    { name: 'app', language: 'go', checks: ['go test ./...'], start: './app' },
  ],
  [
    'Gradle',
    { 'build.gradle.kts': '', gradlew: '' },
    { language: 'java', checks: ['./gradlew test'] },
  ],
  ['Ruby', { Gemfile: '', 'spec/': '' }, { language: 'ruby', checks: ['bundle exec rspec'] }],
  [
    'a Dockerfile',
    { Dockerfile: 'FROM x\nEXPOSE 3000/tcp\n', 'package.json': manifest({ start: 'x' }) },
    { target: 'docker', port: 3000 },
  ],
  ['a Dockerfile with a variable', { Dockerfile: 'FROM x\nEXPOSE $PORT\n' }, { target: 'docker' }],
  ['a Makefile', { Makefile: 'all:\n\ntest: all\n\tsh test.sh\n' }, { checks: ['make test'] }],
  [
    'a Makefile with a variable',
    { Makefile: 'test := 1\ncheck:\n\tx\n' },
    { checks: ['make check'] },
  ],
];

describe('what is there', () => {
  for (const [what, files, expected] of detections) {
    it(`recognises ${what}`, () => {
      const found = detectProject(folderOf(files));
      assert.deepEqual({ ...found, ...expected }, found);
    });
    it(`is written for ${what} so that it is right`, () => {
      const detected = detectProject(folderOf(files));
      const { config } = parseProjectFile('x', projectText({ name: 'p', detected }));
      assert.deepEqual(config.checks ?? [], detected.checks);
      assert.equal(config.deploy?.target, detected.target);
      if (config.deploy?.target === undefined) return;
      const { config: schema } = createTargets().get(config.deploy.target);
      assert.deepEqual(schema.safeParse(config.deploy.config).error, undefined);
    });
  }

  for (const [what, files, { checks = [] }] of detections) {
    it(`is checked in ${what} as an agent would that was told nothing`, async () => {
      const [found] = await detectChecks(async (name) => files[name]);
      if (found === undefined) return;
      // Which program runs the scripts of package.json is looked for here only.
      const [own = ''] = checks;
      assert.equal(own.replace(/^(?:pnpm|bun run) test$/, 'npm test'), found);
    });
  }

  it('property: whatever is found, the file is right and says it', () => {
    const word = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
    const optional = fc.option(word, { nil: undefined });
    const detected = fc
      .record({
        language: optional,
        checks: fc.array(word, { maxLength: 2 }),
        build: optional,
        start: word,
        target: fc.constantFrom('docker', 'process', undefined),
        port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
        because: fc.constant([]),
      })
      .map((value): Detected => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(detected, word, optional, (found, name, model) => {
        const text = projectText({ name: nameFor(name), model, detected: found });
        const { config } = parseProjectFile('forge.yaml', text);
        assert.equal(config.language, found.language);
        assert.deepEqual(config.checks ?? [], found.checks);
        assert.equal(config.model, model);
        if (found.target === 'process') assert.equal(config.deploy?.config.start, found.start);
      }),
    );
  });

  it('property: any text gives a name the settings take', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        assert.ok(settingsSchema.safeParse({ name: nameFor(text) }).success);
      }),
    );
    assert.equal(nameFor('@team/my app'), 'my-app');
  });
});

function place(t: TestContext, files: Files = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'forge-init-')));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const init = async (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await main(['init', ...args], {
      cwd,
      environment: { HOME: cwd, NO_COLOR: '1' },
      stdout: { write: (text: string) => out.push(text) },
      stderr: { write: (text: string) => err.push(text) },
    });
    return { code, out: out.join(''), err: err.join('') };
  };
  return { cwd, init };
}

test('writes a file with comments, the schema beside it, and what to do next', async (t) => {
  const { cwd, init } = place(t, { 'package.json': manifest({ test: 'x', start: 'y' }) });
  const { code, out } = await init();
  assert.equal(code, 0);
  const text = readFileSync(join(cwd, 'forge.yaml'), 'utf8');
  const [first = ''] = text.split('\n');
  const schema = /^# yaml-language-server: \$schema=(.+)$/.exec(first)?.[1] ?? '';
  assert.equal(JSON.parse(readFileSync(join(cwd, schema), 'utf8')).title, 'forge.yaml');
  const { config } = readProjectFile(join(cwd, 'forge.yaml'));
  assert.deepEqual([config.name, config.deploy?.target], ['app', 'process']);
  assert.match(out, /^wrote forge\.yaml$/m);
  assert.match(out, /^ {2}checks: npm test$/m);
  assert.match(out, /^ {2}forge doctor /m);
});

test('makes the folder it is given a name for', async (t) => {
  const { cwd, init } = place(t);
  const { code, out } = await init('my-service', '--model', 'gpt-4o');
  assert.equal(code, 0);
  const { config } = readProjectFile(join(cwd, 'my-service', 'forge.yaml'));
  assert.deepEqual([config.name, config.model], ['my-service', 'openai:gpt-4o']);
  assert.match(out, /^ {2}cd my-service$/m);
  assert.match(out, /git init/);
});

test('writes over nothing, unless told to, and then keeps the old one', async (t) => {
  const { cwd, init } = place(t, { 'forge.yaml': 'name: old\n' });
  const refused = await init();
  assert.equal(refused.code, 1);
  assert.match(refused.err, /There is a forge\.yaml in .* already.*--force/);
  assert.equal(readFileSync(join(cwd, 'forge.yaml'), 'utf8'), 'name: old\n');
  for (const backup of ['forge.yaml.bak', 'forge.yaml.bak.2']) {
    const { code, out } = await init('--force');
    assert.equal(code, 0);
    assert.ok(out.includes(`kept as ${backup}\n`), out);
  }
  assert.equal(readFileSync(join(cwd, 'forge.yaml.bak'), 'utf8'), 'name: old\n');
});

test('leaves no folder behind where the name is a file', async (t) => {
  const { init } = place(t, { taken: 'x' });
  const { code, err } = await init('taken');
  assert.equal(code, 1);
  assert.match(err, /taken is a file\. Choose another name/);
});

test('prints the result as JSON', async (t) => {
  const { cwd, init } = place(t, { 'go.mod': 'module x/y\n' });
  const result = JSON.parse((await init('--json')).out);
  assert.equal(result.file, join(cwd, 'forge.yaml'));
  assert.ok(existsSync(result.schema));
  assert.deepEqual([result.name, result.language, result.checks], ['y', 'go', ['go test ./...']]);
  assert.ok(result.next.length > 0);
});

test('begins an agent of one’s own that keeps to the twelve factors', async (t) => {
  const { cwd, init } = place(t);
  const { code, out } = await init('mine', '--agent');
  assert.equal(code, 0);
  assert.match(out, /^ {2}\.forge\/prompts\/assistant\.md$/m);
  const folder = join(cwd, 'mine');
  const { config } = readProjectFile(join(folder, 'forge.yaml'));
  const { input = true, output = true } = config.agents?.assistant ?? {};
  assert.ok(config.pipeline !== undefined && typeof config.pipeline !== 'string');
  checkPipeline(parsePipeline(config.pipeline), { assistant: { input, output } });
  const text = readFileSync(join(folder, '.forge/prompts/assistant.md'), 'utf8');
  assert.match(parsePrompt({ name: 'assistant', text, origin: 'x' }).version, /^assistant@/);
  const printed: string[] = [];
  const judged = await main(['doctor', '--12-factor', '--json'], {
    cwd: folder,
    environment: { HOME: cwd },
    stdout: { write: (line: string) => printed.push(line) },
  });
  assert.equal(judged, 0, printed.join(''));
});

test('keeps a prompt that is there', async (t) => {
  const { cwd, init } = place(t, { '.forge/prompts/assistant.md': 'Mine.\n' });
  await init('--agent');
  assert.equal(readFileSync(join(cwd, '.forge/prompts/assistant.md'), 'utf8'), 'Mine.\n');
});
