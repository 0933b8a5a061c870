export { buildNodeImage } from './build-node-image.ts';
export { type Hammering, hammer } from './hammer.ts';
export { type Behaviour, writeService } from './service.ts';
export { type ConformanceSetting, targetConformance } from './target-conformance.ts';
