export { type GuardrailsMiddlewareOptions, guardrailsMiddleware } from './guardrails-middleware.ts';
