export * from './builtin/index.ts';
export * from './plugins/index.ts';
export * from './policy/index.ts';
export * from './results/index.ts';
