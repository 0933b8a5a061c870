export { missingCapability } from './errors.ts';
export { createOllama, ollama } from './ollama.ts';
