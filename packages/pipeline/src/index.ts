export * from './agents/index.ts';
export * from './contracts.ts';
export * from './crew/index.ts';
export { type DefaultPipelineOptions, defaultPipeline } from './default-pipeline.ts';
export * from './definition/index.ts';
export * from './plan/index.ts';
export * from './router/index.ts';
export * from './workspaces/index.ts';
