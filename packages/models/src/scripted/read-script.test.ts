import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { parseScript, readScript } from './read-script.ts';

const refused = (text: string, message: RegExp) =>
  assert.throws(() => parseScript(text, 'story.yaml'), { code: 'invalid_options', message });

describe('a script', () => {
  it('is YAML or JSON, with what it leaves out filled in', () => {
    const yaml = parseScript('scenes:\n  - replies:\n      - text: Hello.\n', 'a.yaml');
    const json = parseScript('{"scenes": [{"replies": [{"text": "Hello."}]}]}', 'a.json');
    assert.deepEqual(yaml.script, json.script);
    assert.deepEqual(yaml.script.scenes, [{ when: {}, replies: [{ text: 'Hello.' }] }]);
    assert.equal(yaml.placeOf(['scenes', 0, 'replies', 0]), 'a.yaml:3');
  });

  it('that is wrong is refused with file, line and what is wrong', () => {
    refused('scenes:\n  - replies: [\n', /^story\.yaml:\d+: /);
    refused(
      'scenes:\n  - replies:\n      - {}\n',
      /story\.yaml:3: scenes\.0\.replies\.0: a reply has/,
    );
    refused('scenes:\n  - replies:\n      - text: x\n    wen: {}\n', /story\.yaml:2: .*wen/);
    refused(
      'scenes:\n  - when:\n      input: /(/\n    replies:\n      - text: x\n',
      /story\.yaml:3: scenes\.0\.when\.input: this is no regular expression/,
    );
    refused('', /story\.yaml:1: the script: /);
  });

  it('has a size', () => {
    assert.throws(() => parseScript(' '.repeat(8 * 1024 * 1024 + 1), 'a'), { code: 'too_large' });
    refused('a: &a [x, x]\nb: &b [*a, *a]\nscenes: &c [*b, *b]', /story\.yaml/);
  });

  it('without an end is not read to its end', { skip: !existsSync('/dev/zero') }, async () => {
    await assert.rejects(readScript('/dev/zero'), { code: 'too_large' });
  });

  it('that is not there says how one is named', async () => {
    await assert.rejects(readScript('/nowhere/story.yaml'), {
      code: 'invalid_options',
      message: /\/nowhere\/story\.yaml could not be read.*scripted:story\.yaml/s,
    });
  });

  it('is read or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseScript(text, 'story.yaml');
        } catch (error) {
          assert.ok(ForgeError.is(error, 'invalid_options'));
        }
      }),
    );
  });
});
