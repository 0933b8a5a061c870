import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseProjectFile } from '../packages/cli/src/project/read-project-file.ts';
import { configurationReference, documents, schemaFile } from './configuration-reference.ts';

const again = 'run: node scripts/configuration-reference.ts';

test('docs/configuration.md says what the schema says', () => {
  assert.equal(readFileSync(documents.reference, 'utf8'), configurationReference(), again);
});

test('docs/forge.schema.json is the schema', () => {
  assert.equal(readFileSync(documents.schema, 'utf8'), schemaFile(), again);
});

test('every key of the reference has a meaning', () => {
  const rows = configurationReference()
    .split('\n')
    .filter((line) => line.startsWith('| `') && line.split(' | ').length > 3);
  assert.ok(rows.length > 80);
  for (const row of rows) assert.notEqual(row.split(' | ')[3]?.trim(), '', row);
});

test('forge.yaml.example is right', () => {
  const file = new URL('../forge.yaml.example', import.meta.url);
  const { config } = parseProjectFile('forge.yaml.example', readFileSync(file, 'utf8'));
  assert.equal(config.agents?.reviewer?.max_review_rounds, 3);
});
