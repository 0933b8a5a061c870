import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type StreamEvent, wires } from '@forge/models';
import { HeldStream } from './held-stream.ts';

const wire = wires['openai-chat'];

it('frames that say nothing are looked at once, however many wait', () => {
  const held = new HeldStream({ wire, guard: undefined, holdsAll: false });
  let looks = 0;
  const silence = new Proxy<StreamEvent[]>([], {
    get(target, key) {
      if (key === 'length') looks += 1;
      return Reflect.get(target, key);
    },
  });
  const frames = 1_000;
  for (let sent = 0; sent < frames; sent++) {
    held.push({ data: '{}' }, silence);
    assert.equal(held.release().length, 0);
  }
  assert.ok(looks <= 3 * frames, `${looks} looks`);
  held.push({ data: '{}' }, [{ type: 'text', text: 'Hi.' }]);
  assert.equal(held.release().length, frames + 1);
  held.push({ data: '{}' }, []);
  held.push({ data: '{}' }, [{ type: 'text', text: 'Ho.' }]);
  held.push({ data: '{}' }, []);
  assert.equal(held.release().length, 2);
  assert.equal(held.releaseAll().length, 1);
});
