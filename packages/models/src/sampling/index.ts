export { normaliseModelName } from './normalise-model-name.ts';
export { samplingSource } from './sampling-defaults.ts';
export { type Sampling, samplingFor } from './sampling-for.ts';
