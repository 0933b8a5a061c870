export { fromGeminiSchema } from './from-gemini-schema.ts';
export { createGemini, gemini } from './gemini.ts';
export { toGeminiSchema } from './to-gemini-schema.ts';
export type { SchemaForm } from './tools.ts';
