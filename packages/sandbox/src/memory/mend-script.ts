import type { TransformPlugin } from 'just-bash';

const allArguments = [
  {
    type: 'Word',
    parts: [
      {
        type: 'DoubleQuoted',
        parts: [{ type: 'ParameterExpansion', parameter: '@', operation: null }],
      },
    ],
  },
];

/** `for x do` goes through `"$@"`. The package splits the arguments at their blanks there. */
export const mendScript: TransformPlugin = {
  name: 'forge-for-arguments',
  transform: ({ ast }) => ({ ast: mend(ast) }),
};

/** The same tree, of the same shape, with the words of such loops put in. */
function mend<Node>(node: Node): Node {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    for (const child of node) mend(child);
    return node;
  }
  if ('type' in node && node.type === 'For' && 'words' in node && node.words === null) {
    Object.assign(node, { words: allArguments });
  }
  for (const child of Object.values(node)) mend(child);
  return node;
}
