import assert from 'node:assert/strict';
import { test } from 'node:test';
import { howToCall } from './how-to-call.ts';

test('a forge that is installed is called by its name', () => {
  assert.equal(howToCall('/usr/local/bin/forge'), undefined);
});

test('any other needs an alias: a clone, and what npm finds for its scripts alone', () => {
  assert.equal(howToCall('/a/bin/forge.js'), "alias forge='node /a/bin/forge.js'");
  assert.match(howToCall('/a/node_modules/.bin/forge') ?? '', /^alias forge=/);
});
