import type { JsonObject, JsonValue } from '@forge/core';

/**
 * Protobuf's JSON may spell a field in snake_case, as many of Google's own examples do. Only
 * names listed here are rewritten: arguments, schemas and foreign fields keep their spelling.
 */
const snakeNames = new Map(
  [
    'systemInstruction',
    'generationConfig',
    'safetySettings',
    'cachedContent',
    'toolConfig',
    'functionDeclarations',
    'functionCallingConfig',
    'allowedFunctionNames',
    'googleSearch',
    'googleSearchRetrieval',
    'codeExecution',
    'urlContext',
    'retrievalConfig',
    'parametersJsonSchema',
    'responseJsonSchema',
    'inlineData',
    'fileData',
    'mimeType',
    'fileUri',
    'displayName',
    'functionCall',
    'functionResponse',
    'executableCode',
    'codeExecutionResult',
    'thoughtSignature',
    'videoMetadata',
    'mediaResolution',
    'willContinue',
    'topP',
    'topK',
    'maxOutputTokens',
    'stopSequences',
    'candidateCount',
    'presencePenalty',
    'frequencyPenalty',
    'responseMimeType',
    'responseSchema',
    'responseModalities',
    'thinkingConfig',
    'thinkingBudget',
    'thinkingLevel',
    'includeThoughts',
  ].map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);

/** The object with this level's known fields in camelCase. A field spelt both ways keeps the camelCase one. */
export function camelKeys(object: JsonObject): JsonObject {
  if (!Object.keys(object).some((key) => snakeNames.has(key))) return object;
  const renamed: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const name = snakeNames.get(key) ?? key;
    if (name === key || object[name] === undefined) renamed[name] = value;
  }
  return renamed;
}
