import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proseLines, readExamples } from './readme-example.ts';

const markdown = `# Title

Prose.

\`\`\`sh
npm start
\`\`\`

\`\`\`ts
const one = 1;
\`\`\`

\`\`\`text
one
\`\`\`

\`\`\`ts
const two = 2;
\`\`\`

More prose.

\`\`\`text
not the output of two
\`\`\`
`;

test('finds the examples, with the output that stands right after', () => {
  assert.deepEqual(readExamples(markdown), [
    { code: 'const one = 1;', output: 'one', line: 9 },
    { code: 'const two = 2;', output: undefined, line: 17 },
  ]);
});

test('counts prose, not blocks and not empty lines', () => {
  assert.equal(proseLines(markdown), 3);
  assert.equal(proseLines('```ts\n\n\n1;\n```'), 0);
});
