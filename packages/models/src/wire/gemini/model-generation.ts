/** The generation a model's name tells: 2 for `gemini-2.5-pro`. The `latest` names are of the newest known. */
export function modelGeneration(model: string): number | undefined {
  const number = /gemini-(\d+)/.exec(model)?.[1];
  if (number !== undefined) return Number(number);
  return /gemini-[a-z-]*latest/.test(model) ? newestGeneration : undefined;
}

const newestGeneration = 3;

/** From generation 3 on a call in the current turn is refused if it comes back without its signature. */
export function requiresSignedCalls(model: string): boolean {
  return (modelGeneration(model) ?? 0) >= 3;
}

/** From generation 3 on a tool's result can hold images; before, they stand beside it. */
export function takesImagesInResults(model: string): boolean {
  return (modelGeneration(model) ?? 0) >= 3;
}

/** Generation 2 counts thinking in tokens and refuses a level. */
export function takesThinkingLevel(model: string): boolean {
  return (modelGeneration(model) ?? newestGeneration) >= 3;
}
