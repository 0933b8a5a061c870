import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonValue } from '@forge/core';
import { choicesOf } from '../project/schema-node.ts';
import { settingsJsonSchema } from './json-schema.ts';

/** Where keys are said, not read. */
const saying = [`${sep}settings${sep}`, 'proxy-section.ts', '.test.ts', `${sep}commands${sep}init`];

/** Keys that nothing reads yet. A key that nobody reads is a promise nobody keeps: add none. */
const unread: ReadonlySet<string> = new Set<string>([]);

function keysOf(node: JsonValue | undefined, path: readonly string[] = []): readonly string[][] {
  if (!isJsonObject(node)) return [];
  return choicesOf(node).flatMap(({ properties, additionalProperties }) => [
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, child]) => [
      [...path, key],
      ...keysOf(child, [...path, key]),
    ]),
    ...keysOf(additionalProperties, [...path, '*']),
  ]);
}

test('every key of the settings is read somewhere', () => {
  const packages = fileURLToPath(new URL('../../..', import.meta.url));
  const text = globSync('*/src/**/*.ts', { cwd: packages })
    .filter((file) => !saying.some((part) => `${sep}${file}`.includes(part)))
    .map((file) => readFileSync(`${packages}/${file}`, 'utf8'))
    .join('\n');
  const words = new Set(text.match(/\w+/g));
  const nobodyReads = keysOf(settingsJsonSchema())
    .filter((path) => !words.has(path.at(-1) ?? ''))
    .map((path) => path.join('.'))
    .filter((path) => !unread.has(path));
  assert.deepEqual([...new Set(nobodyReads)], []);
});
