import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barPicture } from './bar-picture.ts';

test('draws a bar for each, the lowest first, each tenfold as wide a step', () => {
  const svg = barPicture({
    title: 'CPU <per> request',
    unit: 'µs',
    bars: [
      { name: 'slow', value: 1000, kind: 'published' },
      { name: 'quick', value: 10, kind: 'ours' },
      { name: 'middling', value: 100, kind: 'measured' },
    ],
  });
  const bars = [...svg.matchAll(/<rect x="270" [^>]*width="([\d.]+)"/g)].map((found) =>
    Number(found[1]),
  );
  assert.deepEqual(bars, [1, 210, 420]);
  assert.ok(svg.indexOf('>quick<') < svg.indexOf('>middling<'));
  assert.ok(svg.includes('CPU &#60;per&#62; request'));
});
