/** Work on the next input each time, so that no contender lives off one input's shape. */
export function cycle<T>(inputs: readonly T[], work: (input: T) => unknown): () => unknown {
  const [first] = inputs;
  if (first === undefined) throw new Error('A bench needs at least one input.');
  let next = 0;
  return () => {
    const input = inputs[next] ?? first;
    next = next + 1 < inputs.length ? next + 1 : 0;
    return work(input);
  };
}
