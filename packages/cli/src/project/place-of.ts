import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';

/** Where something stands in a file, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Where the key at a path stands; the item, in a list. What is not in the file by itself (it is
 * missing, or comes from an alias) is placed at what is nearest above it.
 */
export function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
): Place {
  let node: unknown = document.contents;
  let offset = rangeOf(node) ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(step),
      );
      if (pair === undefined) break;
      offset = rangeOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = rangeOf(node) ?? offset;
    } else break;
  }
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function rangeOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
