import type { Edge } from './linear-syntax.ts';

/** The characters of a text: code points, or without Unicode mode the halves of large ones. */
export function pointsOf(text: string, isUnicode: boolean): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const point = (isUnicode ? text.codePointAt(i) : text.charCodeAt(i)) ?? 0;
    points[count++] = point;
    if (point > 0xffff) i += 1;
  }
  return points.subarray(0, count);
}

export function isEdge(points: Uint32Array, at: number, edge: Edge | undefined): boolean {
  if (edge === 'start') return at === 0;
  if (edge === 'end') return at === points.length;
  const isBetween = isWord(points[at - 1]) !== isWord(points[at]);
  return isBetween === (edge === 'word');
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && point < 128 && /\w/.test(String.fromCharCode(point));
}
