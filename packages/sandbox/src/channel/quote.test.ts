import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { quote } from './quote.ts';

test('gives the shell one word on one line, whatever is in it', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')));
  fc.assert(
    fc.property(texts, (words) => {
      const line = words.map(quote).join(' ');
      assert.ok(!line.includes('\n'));
      const script = `_nl='\n'\nIFS= read -r line\neval "set -- $line"\nprintf '%s\\0' "$@"`;
      const out = execFileSync('sh', ['-c', script], { input: `${line}\n` });
      assert.equal(
        String(out),
        words.length === 0 ? '\0' : words.map((word) => `${Buffer.from(word)}\0`).join(''),
      );
    }),
    { numRuns: 30 },
  );
});
