import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@forge/core';
import fc from 'fast-check';
import { type LayerName, layerNames, valueAt, wholeAbove } from './layer.ts';
import { leavesOf, mergeLayers, originOf } from './merge-layers.ts';

/** Settings of one shape, as the schema holds every layer to one. */
const settings: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      model: fc.constantFrom('a', 'b', 'c'),
      checks: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
      agents: fc.dictionary(
        fc.constantFrom('coder', 'own', '__proto__', 'toString'),
        fc.record({ model: fc.string(), max_tokens: fc.nat() }, { requiredKeys: [] }),
        { maxKeys: 3 },
      ),
      mcp: fc.dictionary(
        fc.constantFrom('p', 'q'),
        fc.record({ command: fc.string(), lazy: fc.boolean() }, { requiredKeys: [] }),
        { maxKeys: 2 },
      ),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.parse(JSON.stringify(value)));

const layers = fc
  .uniqueArray(fc.constantFrom(...layerNames.slice(0, 4)), { maxLength: 4 })
  .chain((names) =>
    fc.tuple(
      ...[...names]
        .sort((a, b) => layerNames.indexOf(a) - layerNames.indexOf(b))
        .map((name: LayerName) =>
          settings.map((value) => ({
            name,
            value,
            placeOf: (path: readonly string[]) => `${name}:${path.join('.')}`,
          })),
        ),
    ),
  );

test('property: nothing added is nothing changed, and twice is once', () => {
  fc.assert(
    fc.property(settings, (value) => {
      assert.deepEqual(mergeLayers([{ value }, { value: {} }]), value);
      assert.deepEqual(mergeLayers([{ value: {} }, { value }]), value);
      assert.deepEqual(mergeLayers([{ value }, { value }]), value);
    }),
  );
});

test('property: it does not matter which two are merged first', () => {
  fc.assert(
    fc.property(settings, settings, settings, (a, b, c) => {
      const all = mergeLayers([{ value: a }, { value: b }, { value: c }]);
      const first = { value: mergeLayers([{ value: a }, { value: b }]) };
      assert.deepEqual(mergeLayers([first, { value: c }]), all);
      const last = { value: mergeLayers([{ value: b }, { value: c }]) };
      assert.deepEqual(mergeLayers([{ value: a }, last]), all);
    }),
  );
});

test('property: the layers are as they were', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const before = structuredClone(given.map(({ value }) => value));
      mergeLayers(given);
      assert.deepEqual(
        given.map(({ value }) => value),
        before,
      );
    }),
  );
});

test('property: every value is that of the strongest layer that has it, and its origin says so', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const merged = mergeLayers(given);
      for (const path of leavesOf(merged)) {
        const found = valueAt(merged, path);
        const { layer, place } = originOf(path, given);
        const winner = given.find(({ name }) => name === layer);
        assert.deepEqual(winner && valueAt(winner.value, path), found);
        assert.equal(place, `${layer}:${path.join('.')}`);
        const stronger = given.slice(
          0,
          given.findIndex(({ name }) => name === layer),
        );
        const whole = wholeAbove(path) ?? path;
        for (const { value } of stronger) {
          const said = valueAt(value, whole);
          // An empty block says nothing against what weaker layers put into it.
          assert.ok(said === undefined, `${layer} won over one that says ${JSON.stringify(said)}`);
        }
      }
    }),
  );
});

test('property: what any layer says is in the end said', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const merged = mergeLayers(given);
      for (const { value } of given) {
        for (const path of leavesOf(value)) {
          const inside = wholeAbove(path) ?? path;
          assert.notEqual(valueAt(merged, inside), undefined);
        }
      }
    }),
  );
});

test('another kind of value hides what weaker layers have below it', () => {
  const layer = (name: LayerName, value: JsonObject) => ({ name, value, placeOf: () => name });
  const given = [
    layer('project', { deploy: { config: { health: '/' } } }),
    layer('user', { deploy: { config: { health: { path: '/up' } } } }),
  ];
  assert.deepEqual(mergeLayers(given), { deploy: { config: { health: '/' } } });
  assert.equal(originOf(['deploy', 'config', 'health', 'path'], given).layer, 'default');
});
