export { finishFromAiSdk } from './from-ai-sdk.ts';
export { type GuardrailsMiddlewareOptions, guardrailsMiddleware } from './guardrails-middleware.ts';
