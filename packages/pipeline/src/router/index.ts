export { createRouter, type RouterOptions } from './create-router.ts';
export type { Route, RouteRequest, Router, Skipped, Weights } from './router.ts';
