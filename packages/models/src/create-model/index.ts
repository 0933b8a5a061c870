export { type CreateModelOptions, createModel } from './create-model.ts';
export { type ModelName, parseModelName } from './parse-model-name.ts';
export type { Profile, WindowQuery } from './profile.ts';
export { type ProviderName, profiles } from './profiles.ts';
